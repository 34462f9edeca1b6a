// The sandbox program of a world: its compiled code shortens a start, no sandbox writes to it, and
// no start depends on it.
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { findIsolation, type Isolation } from "../../practice/sandbox-host/isolation.ts";
import { getCompiledFolder, startSandboxProcess } from "../../practice/sandbox-host/sandbox-process.ts";
import { getSandboxProgram, writeSandboxProgram } from "../../practice/sandbox-program.ts";
import { openInForce } from "../../src/network/rules/network.ts";

let folder: string;
let programFile: string;
let isolation: Isolation;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "sandbox-program-"));
  programFile = await writeSandboxProgram(join(folder, "program"));
  isolation = await findIsolation();
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function compiledFile(): Promise<string> {
  const entries = await readdir(getCompiledFolder(programFile), { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name));
  expect(files).toHaveLength(1);
  return files[0] ?? "";
}

/** Starts the program in a sandbox and ends it. Answers what Node said about compiled code. */
async function startOnce(): Promise<string> {
  const root = await mkdtemp(join(folder, "root-"));
  const telling: Isolation = {
    ...isolation,
    spawn: ({ argv, ...command }) =>
      isolation.spawn({
        ...command,
        argv: ["/bin/sh", "-c", 'exec "$0" "$@" 2>told', ...argv],
        readable: [...command.readable, dirname(process.execPath)],
      }),
  };
  const env = { NODE_DEBUG_NATIVE: "COMPILE_CACHE" };
  const reach = { network: openInForce, outside: { servicePort: 0 } };
  const { end } = await startSandboxProcess({ isolation: telling, programFile, root, secret: "secret", env, ...reach });
  await end();
  return await readFile(join(root, "told"), "utf8");
}

test("a sandbox starts with the compiled code and does not change it", async () => {
  const file = await compiledFile();
  const before = await stat(file);
  expect(await startOnce()).toContain(`cache for ${programFile} was accepted`);
  expect(await compiledFile()).toBe(file);
  expect((await stat(file)).mtimeMs).toBe(before.mtimeMs);
});

test("a sandbox starts with damaged or without compiled code", async () => {
  const file = await compiledFile();
  const content = await readFile(file);
  for (const damaged of ["damaged", Buffer.from(content).fill(0, 4_096)]) {
    await writeFile(file, damaged);
    expect(await startOnce()).not.toContain("was accepted");
    // What an isolated sandbox wrote, the others would run.
    if (isolation.isIsolated) expect(await readFile(file)).toEqual(Buffer.from(damaged));
  }
  await rm(getCompiledFolder(programFile), { recursive: true });
  expect(await startOnce()).not.toContain("was accepted");
});

test("worlds with the same build share the program", async () => {
  const [one, other] = [await getSandboxProgram(), await getSandboxProgram()];
  expect(one).toBe(other);
  expect(await readFile(one)).toEqual(await readFile(programFile));
});
