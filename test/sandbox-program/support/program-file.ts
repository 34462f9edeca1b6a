// The built sandbox program: one file for all tests of a run that start it.
import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestProject } from "vitest/node";
import { writeSandboxProgram } from "../../../practice/sandbox-program.ts";

declare module "vitest" {
  interface ProvidedContext {
    sandboxProgramFile: string;
  }
}

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const folder = await mkdtemp(join(tmpdir(), "sandbox-program-"));
  // Readable, as in the image, for a program that works with another user's rights.
  await chmod(folder, 0o755);
  project.provide("sandboxProgramFile", await writeSandboxProgram(folder));
  return () => rm(folder, { recursive: true, force: true });
}
