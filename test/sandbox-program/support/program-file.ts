// The built sandbox program and a copy of Node, for all tests of a run that start them.
import { chmod, copyFile, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestProject } from "vitest/node";
import { writeSandboxProgram } from "../../../practice/sandbox-program.ts";

declare module "vitest" {
  interface ProvidedContext {
    sandboxProgramFile: string;
    nodeFile: string;
  }
}

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const folder = await mkdtemp(join(tmpdir(), "sandbox-program-"));
  // Readable, as in the image, for a program that works with another user's rights. The clone,
  // which contains the Node of this process, may be in a folder that only its owner can read.
  await chmod(folder, 0o755);
  const node = join(folder, "node");
  await copyFile(process.execPath, node);
  project.provide("nodeFile", node);
  project.provide("sandboxProgramFile", await writeSandboxProgram(folder));
  return () => rm(folder, { recursive: true, force: true });
}
