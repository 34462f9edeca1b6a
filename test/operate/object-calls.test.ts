// The calls of objects across two versions: which changes would fail between callers of one version
// and objects of the other one.
import { copyFile, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { readSettings } from "../../operate/cloudflare/settings.ts";
import { listCallChanges, listInterfaceFiles, releasedFile, withTypes } from "../../operate/object-calls/compare.ts";
import { formatCalls } from "../../operate/object-calls/record.ts";

const project = join(import.meta.dirname, "../..");
let root: string;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), "switchyard-calls-"));
  for (const folder of ["operate/object-calls", "durable-objects/yard"])
    await mkdir(join(root, folder), { recursive: true });
  for (const file of ["tsconfig.json", "operate/object-calls/tsconfig.json", "sql-text.d.ts"])
    await copyFile(join(project, file), join(root, file));
  await symlink(join(project, "node_modules"), join(root, "node_modules"));
});
afterEach(() => rm(root, { recursive: true }));

const write = (types: string) => writeFile(join(root, "durable-objects/yard/rpc.ts"), types);
const record = () =>
  writeFile(
    join(root, releasedFile),
    withTypes(root, (types) => formatCalls(types, root, "1.0.0")),
  );

const released = `
interface Train { id: string; cars: readonly ("open" | "closed")[]; next?: Train | undefined }
export interface YardRpc extends Rpc.DurableObjectBranded {
  send(train: Train, by: { name: string } | null): Promise<{ track: number } | null>;
  watch(listener: (train: Train) => Promise<void>): Promise<Counter>;
}
interface Counter extends Rpc.RpcTargetBranded { count(of: Record<string, bigint>): Promise<Date> }
`;

it.each<[string, (types: string) => string, string[]]>([
  ["nothing", (types) => types, []],
  ["an optional field", (types) => types.replace("{ name: string }", "{ name: string; at?: number }"), []],
  ["an optional parameter", (types) => types.replace("| null):", "| null, at?: number):"), []],
  [
    "a field that the object needs",
    (types) => types.replace("{ name: string }", "{ name: string; at: number }"),
    ["YardRpc.send: the object does not take what a caller of the release sends as by"],
  ],
  [
    "a parameter that the object needs",
    (types) => types.replace("| null):", "| null, at: number):"),
    ["YardRpc.send: the object does not take what a caller of the release sends as at"],
  ],
  [
    "a value that earlier objects do not know",
    (types) => types.replace('"open" |', '"open" | "tank" |'),
    [
      "YardRpc.watch: the object does not take what a caller of the release sends as listener",
      "YardRpc.send: the object does not take what a caller of this version sends as train",
    ],
  ],
  [
    "a result without a field",
    (types) => types.replace("{ track: number }", "{ platform: number }"),
    [
      "YardRpc.send: a caller of the release cannot read the result",
      "YardRpc.send: a caller of this version cannot read the result",
    ],
  ],
  [
    "a method that is deleted",
    (types) => types.replace(/ {2}send.*/, ""),
    ["YardRpc.send: a caller of the release calls it, and the object does not have it"],
  ],
  [
    "a method that is added",
    (types) => types.replace("  send(", "  stop(): Promise<void>;\n  send("),
    ["YardRpc.stop: a caller of this version calls it, and the object does not have it"],
  ],
])("%s is compared in both directions", async (_, change, failures) => {
  await write(released);
  await writeFile(join(root, releasedFile), "export {};");
  await record();
  await write(change(released));
  expect(listCallChanges(root)).toEqual(failures);
});

it("a record of this checkout has every interface, and differs from it in nothing", async () => {
  const text = withTypes(project, (types) => formatCalls(types, project, "1.0.0"));
  const names = await Promise.all(
    listInterfaceFiles(project).map(async (file) =>
      (await readFile(file, "utf8")).match(/(?<=export interface )\w+Rpc\b/g),
    ),
  );
  expect(names.length).toBeGreaterThan(10);
  for (const name of names.flat()) expect(text).toContain(`export interface ${name} {`);
  await rm(join(root, "durable-objects"), { recursive: true });
  for (const folder of ["durable-objects", "src", "sandbox-program", "migrations"])
    await symlink(join(project, folder), join(root, folder));
  await writeFile(join(root, releasedFile), text);
  expect(listCallChanges(root)).toEqual([]);
});

it("without a release, nothing can be compared, so it counts as a change", async () => {
  await write(released);
  expect(listCallChanges(root)).toEqual(["No release has recorded its calls yet"]);
});

it("objects may keep the version before only if no call has changed since the last release", () => {
  const { codeUpdateSeconds } = readSettings(project);
  expect(codeUpdateSeconds === 0 ? [] : listCallChanges(project)).toEqual([]);
});
