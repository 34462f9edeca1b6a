// A pasta that fails. A world that finds it shares the machine's network with its sandboxes, so
// that these reach servers of a test or of the benchmark.
import { mkdir, writeFile } from "node:fs/promises";

/** Puts the pasta into a new folder. Returns a PATH on which it is the first one. */
export async function addFailingPasta(folder: string, path: string): Promise<string> {
  await mkdir(folder);
  await writeFile(`${folder}/pasta`, "#!/bin/sh\nexit 1\n", { mode: 0o755 });
  return `${folder}:${path}`;
}
