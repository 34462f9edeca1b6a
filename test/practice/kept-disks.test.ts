// The disks that a sandbox host keeps over pauses.
import { lstat, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { keptMark } from "../../practice/sandbox-host/kept-disks.ts";
import { type SandboxHost, startSandboxHost } from "../../practice/sandbox-host/sandbox-host.ts";
import { programFile, secret } from "../sandbox-program/support/program.ts";
import { until } from "../support/until.ts";

let folder: string;
let host: SandboxHost;

async function startHost(keptLimits = { disks: 2, freeShare: 0 }): Promise<void> {
  host = await startSandboxHost({ folder, programFile: programFile(), outside: { servicePort: 8787 }, keptLimits });
}
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "kept-disks-"));
});
afterEach(async () => {
  await host.close();
  await rm(folder, { recursive: true, force: true });
});

const start = (key: string) =>
  fetch(`${host.url}/sandboxes/${key}`, { method: "PUT", body: JSON.stringify({ secret, env: {} }) });
const end = async (key: string, how: "" | "?keep" | "?discard") =>
  expect((await fetch(`${host.url}/sandboxes/${key}${how}`, { method: "DELETE" })).status).toBe(204);

/** Starts a sandbox, writes a file into its project and a temporary one, and pauses it. */
async function pause(key: string): Promise<void> {
  expect((await start(key)).status).toBe(200);
  await mkdir(join(folder, key, "project"), { recursive: true });
  await writeFile(join(folder, key, "project/work"), `work of ${key}`);
  await writeFile(join(folder, key, "tmp/secret"), "s");
  await end(key, "?keep");
}
const keptNow = async () => (await readdir(folder)).toSorted();

test("a pause keeps a disk without its temporary files, and the next start uses it", async () => {
  await startHost();
  await pause("s1");
  expect(await readdir(join(folder, "s1"))).not.toContain("tmp");
  expect((await start("s1")).status).toBe(200);
  expect(await readFile(join(folder, "s1/project/work"), "utf8")).toBe("work of s1");
  expect(await readdir(join(folder, "s1"))).not.toContain(keptMark);
  await end("s1", "");
  expect(await keptNow()).toEqual([]);
});

test("the host writes through no link that the sandbox left", async () => {
  await startHost();
  const outside = join(folder, "outside");
  await writeFile(outside, "of the machine");
  await start("s1");
  await symlink(outside, join(folder, "s1", keptMark));
  await end("s1", "?keep");
  expect(await readFile(outside, "utf8")).toBe("of the machine");
  expect((await lstat(join(folder, "s1", keptMark))).isFile()).toBe(true);
});

test("a disk of another build of the program is deleted", async () => {
  await startHost();
  await pause("s1");
  await pause("s2");
  await host.close();
  await writeFile(join(folder, "s2", keptMark), "another build");
  await startHost();
  expect(await keptNow()).toEqual(["s1"]);
});

test("a kept disk outlives a stop of its stopped sandbox, and ends with a discard", async () => {
  await startHost();
  await pause("s1");
  await end("s1", "");
  await end("s1", "?keep");
  expect(await keptNow()).toEqual(["s1"]);
  await end("s1", "?discard");
  expect(await keptNow()).toEqual([]);
});

test("the oldest disk beyond the limit is deleted, also one that an earlier host kept", async () => {
  await startHost();
  await pause("s2");
  await pause("s1");
  await host.close();
  await startHost();
  expect(await keptNow()).toEqual(["s1", "s2"]);
  await pause("s3");
  await until("the oldest is gone", async () => (await keptNow()).join() === "s1,s3");
});

test.each([
  ["no disk may be kept", { disks: 0, freeShare: 0 }],
  ["too little of the machine's disk is free", { disks: 2, freeShare: 1 }],
])("a pause leaves nothing where %s", async (_, limits) => {
  await startHost(limits);
  await pause("s1");
  await until("it is gone", async () => (await keptNow()).length === 0);
});
