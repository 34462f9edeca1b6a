// The command line that a service on one machine serves.
import { bundleProgram } from "../packages/cli/bundle.ts";
import { programKey } from "../src/cli/program-key.ts";
import { buildOnce } from "./build-cache.ts";

/** Puts the program into the bucket of the service, from which the service sends it. */
export async function saveCommandLine(store: R2Bucket): Promise<void> {
  const program = await buildOnce("command-line", async () => {
    const { program: built, inputs } = await bundleProgram();
    return { built, inputs };
  });
  await store.put(programKey, program);
}
