// The sandbox program of a world on this machine: the production build, rebuilt only after changes.
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { bundleSandboxProgram } from "../sandbox/build.mjs";
import { buildOnce } from "./build-cache.ts";

/** Copies the program and its archiver to a folder, so that a later build does not change a running one. Answers the program's path. */
export async function putSandboxProgram(folder: string): Promise<string> {
  const { program, archiver } = await buildOnce("sandbox-program", async () => {
    const { inputs, ...built } = await bundleSandboxProgram();
    return { built, inputs: [...inputs, "sandbox/build.mjs", "dev/sandbox-program.ts"] };
  });
  await mkdir(folder, { recursive: true });
  const file = join(folder, "sandbox.mjs");
  await Promise.all([writeFile(file, program), writeFile(join(folder, "archiver.mjs"), archiver)]);
  return file;
}
