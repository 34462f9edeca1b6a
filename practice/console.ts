// The console that a service on one machine serves.
import { type ConsoleFile, toContent } from "../console/file.ts";
import { consoleKey } from "../src/console/console-key.ts";
import { buildOnce } from "./build-cache.ts";

/** Returns the console's files, built again only after changes. */
export async function loadConsole(): Promise<ConsoleFile[]> {
  return await buildOnce("console", async () => {
    const { bundleConsole } = await import("../console/bundle.ts");
    const { files: built, inputs } = await bundleConsole();
    return { built, inputs };
  });
}

/** Puts the console into the service's bucket, from which the service sends it. */
export async function saveConsole(store: R2Bucket): Promise<void> {
  // The page comes last, and names only files that are there.
  for (const file of await loadConsole()) await store.put(consoleKey(file.path), toContent(file));
}
