// The sandbox program of a world on this machine: the production build, rebuilt only after changes,
// with its compiled code.
import { createHash, randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdtemp, readdir, rm, stat, utimes } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { bundleSandboxProgram } from "../sandbox-program/build.mjs";
import { openInForce } from "../src/network/rules/network.ts";
import { buildFolder, buildOnce, writeWhole } from "./build-cache.ts";
import { noIsolation } from "./sandbox-host/isolation.ts";
import { getCompiledFolder, startSandboxProcess } from "./sandbox-host/sandbox-process.ts";

interface BuiltProgram {
  program: string;
  archiver: string;
}

const programsFolder = join(buildFolder, "sandbox-program");
/** A program is deleted if no world has used it for this long. */
const unusedForMs = 30 * 24 * 60 * 60_000;

/**
 * Returns the path of the program. Worlds with the same build share it, and a later build does not
 * change it.
 */
export async function getSandboxProgram(): Promise<string> {
  const built = await buildProgram();
  const hash = createHash("sha256").update(`${process.version}\n${built.program}\n${built.archiver}`).digest("hex");
  const folder = join(programsFolder, hash.slice(0, 32));
  const file = await writeProgram(folder, built);
  const now = new Date();
  await utimes(folder, now, now);
  await deleteUnused(now.getTime());
  return file;
}

/** Writes the program into a separate folder and returns its path. */
export async function writeSandboxProgram(folder: string): Promise<string> {
  return await writeProgram(folder, await buildProgram());
}

function buildProgram(): Promise<BuiltProgram> {
  return buildOnce("sandbox-program", async () => {
    const { inputs, ...built } = await bundleSandboxProgram();
    return { built, inputs: [...inputs, "sandbox-program/build.mjs", "practice/sandbox-program.ts"] };
  });
}

async function writeProgram(folder: string, { program, archiver }: BuiltProgram): Promise<string> {
  const file = join(folder, "sandbox.cjs");
  if (!existsSync(file)) {
    await writeWhole(join(folder, "archiver.cjs"), archiver);
    await writeWhole(file, program);
  }
  if (!existsSync(getCompiledFolder(file))) await compile(file);
  return file;
}

/**
 * Starts the program once, so that Node stores its compiled code. Node finds the code by the
 * program's path.
 */
async function compile(programFile: string): Promise<void> {
  const root = await mkdtemp(join(tmpdir(), "switchyard-compile-"));
  try {
    const secret = randomUUID();
    const reach = { network: openInForce, outside: { servicePort: 0 } };
    const options = { isolation: noIsolation, programFile, root, secret, env: {}, ...reach };
    const { end } = await startSandboxProcess(options);
    await end();
  } finally {
    await rm(root, { recursive: true, force: true });
  }
}

async function deleteUnused(now: number): Promise<void> {
  for (const name of await readdir(programsFolder)) {
    const folder = join(programsFolder, name);
    // Another world may be deleting it too.
    const { mtimeMs } = await stat(folder).catch(() => ({ mtimeMs: now }));
    if (now - mtimeMs > unusedForMs) await rm(folder, { recursive: true, force: true });
  }
}
