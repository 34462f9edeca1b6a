// An example that is a Worker, run in workerd with the built library.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { convertV4MiniflareOptions, Miniflare } from "miniflare";
import { examples } from "./example.ts";

const library = join(import.meta.dirname, "../../../packages/client/dist/index.js");

export interface RunningWorker {
  url: string;
  stop(): Promise<void>;
}

/** How many messages of an address the binding `LIMIT` lets through in a minute. */
export const limit = 20;

/** Starts an example, named by its folder and file, with its settings. */
export async function startWorker(file: string, settings: Record<string, string>, port = 0): Promise<RunningWorker> {
  const options = convertV4MiniflareOptions({
    name: "example",
    modules: [
      { type: "ESModule", path: "worker.mjs", contents: readFileSync(join(examples, file), "utf8") },
      { type: "ESModule", path: "@switchyard/client", contents: readFileSync(library, "utf8") },
    ],
    bindings: settings,
    ratelimits: { LIMIT: { namespace_id: "1", simple: { limit, period: 60 } } },
    compatibilityDate: "2026-10-01",
    host: "127.0.0.1",
    port,
    cf: false,
    telemetry: { enabled: false },
  });
  const miniflare = new Miniflare(options);
  return { url: (await miniflare.ready).origin, stop: () => miniflare.dispose() };
}
