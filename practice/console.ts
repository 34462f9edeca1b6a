// The console that a service on one machine serves.
import { consoleKey } from "../src/console/console-key.ts";
import { buildOnce } from "./build-cache.ts";

/** Builds the console, unless no source of it has changed, and puts it into the service's bucket. */
export async function saveConsole(store: R2Bucket): Promise<void> {
  const files = await buildOnce("console", async () => {
    const { bundleConsole } = await import("../console/bundle.ts");
    const { files: built, inputs } = await bundleConsole();
    return { built, inputs };
  });
  // The page comes last, and names only files that are there.
  for (const { path, text } of files) await store.put(consoleKey(path), text);
}
