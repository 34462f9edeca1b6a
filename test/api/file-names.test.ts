// Files with any valid name: they are listed, read, written byte for byte, shown as changed and
// committed like every other file.
import { randomUUID } from "node:crypto";
import { beforeAll, describe, expect, test } from "vitest";
import { apiWorld } from "../support/api-world.ts";
import { createClient, script } from "../support/client.ts";

const world = apiWorld();
const owner = createClient(world);
const longest = `${"folder/".repeat(292)}file`;
const names = [
  "line\nbreak.txt",
  "carriage\rreturn.txt",
  "tab\there.txt",
  " spaces before and behind ",
  `it's "quoted".txt`,
  "-rf",
  "--help/--version",
  "日本語/ファイル.txt",
  "trolley 🚋.txt",
  "e\u0301 is not \u00e9.txt",
  "back\\slash.txt",
  "..\\outside.txt",
  "%2e%2e%2foutside",
  "..not-up",
  ".gitignore",
  "not.git/config",
  "$(touch made)",
  "a;b&c|d>e",
  "*?[x]",
  ":(top)magic",
  "a".repeat(255),
  longest,
];
let session: string;

interface Entry {
  path: string;
  children?: Entry[];
}

beforeAll(async () => {
  const source = `const fs = require("fs"), path = require("path");
    for (const name of ${JSON.stringify(names)}) {
      fs.mkdirSync(path.dirname(name), { recursive: true });
      fs.writeFileSync(name, "one\\r\\ntwo\\n");
    }
    for (const folder of ["submodule", "foo/.git", "up"]) fs.mkdirSync(folder, { recursive: true });
    fs.writeFileSync("submodule/.git", "gitdir: /etc");
    fs.writeFileSync("foo/.git/config", "[core]");
    fs.symlinkSync("..", "up/chain");
    fs.symlinkSync("up/chain/..", "chain");
    fs.writeFileSync("large.txt", "x".repeat(4 * 1024 * 1024 + 1));`;
  const bash = `echo ${Buffer.from(source).toString("base64")} | base64 -d | node -`;
  const created = await owner.createSession({ title: "Names", content: script({ bash }, { say: "Made." }) });
  session = created.path;
  const job = await owner.jobUntil(session, created.jobId);
  expect(job.status).toBe("completed");
});

const content = `preview/files/content`;
const read = (path: string) => owner.get(`${session}/${content}?path=${encodeURIComponent(path)}`);
const write = (path: string, text: string) =>
  owner.put(`${session}/${content}`, { path, content: text, clientId: randomUUID() });
const listPaths = (entries: Entry[]): string[] =>
  entries.flatMap(({ path, children }) => (children ? listPaths(children) : [path]));

test("The longest has as many characters as a path may have.", () => {
  expect(longest).toHaveLength(2_048);
});

test("every file is in the tree, under its own name", async () => {
  const paths = listPaths((await owner.get(`${session}/preview/files`)).body.data.files);
  expect(paths).toEqual(expect.arrayContaining(names));
});

test("every file is a changed file, under its own name", async () => {
  const { files } = (await owner.get(`${session}/preview/changed-files`)).body.data;
  expect(files.map(({ path }: Entry) => path)).toEqual(expect.arrayContaining(names));
});

describe("each file is read, replaced and shown in a patch with its line ends", () => {
  test.each(names)("%j", async (name) => {
    expect((await read(name)).body.data.content).toBe("one\r\ntwo\n");
    const written = await write(name, "\ufeffthree\r\nfour\rfive\n");
    expect([written.status, written.body.data?.path]).toEqual([200, name]);
    expect((await read(name)).body.data.content).toBe("\ufeffthree\r\nfour\rfive\n");
    const patch = await owner.get(`${session}/preview/diff?path=${encodeURIComponent(name)}`);
    expect(patch.body.data.patch).toContain("+\ufeffthree\r\n+four\rfive\n");
  });
});

test.each([`${longest}s`, "x".repeat(2_049)])("a path that is too long is refused", async (path) => {
  for (const answer of [await read(path), await write(path, "x")]) {
    expect([answer.status, answer.body.code]).toEqual([400, expect.stringMatching(/^(BAD_REQUEST|VALIDATION_ERROR)$/)]);
  }
});

describe("git's own files and files outside of the project are not found", () => {
  test.each([
    "submodule/.git",
    "foo/.git/config",
    "foo/.GiT/config",
    "up/chain/.git/config",
    "chain/outside.txt",
    "chain/state/checkout.json",
    "up/chain/../.git/config",
    ".git/../README.md",
  ])("%s", async (path) => {
    for (const answer of [await read(path), await write(path, "x")]) {
      expect([answer.status, answer.body.code]).toEqual([404, "NOT_FOUND"]);
    }
  });
});

test("a file above the size limit of writes is not read", async () => {
  const { status, body } = await read("large.txt");
  expect([status, body.code]).toEqual([400, "BAD_REQUEST"]);
});

test("concurrent writes leave one complete file, and concurrent reads return a complete file", async () => {
  const texts = Array.from({ length: 8 }, (_, at) => `${at}`.repeat(200_000));
  await write("-rf", texts[0] ?? "");
  const answers = await Promise.all(texts.flatMap((text) => [write("-rf", text), read("-rf")]));
  expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
  for (const { body } of [...answers, await read("-rf")]) {
    if (body.data.content !== undefined) expect(texts.includes(body.data.content)).toBe(true);
  }
});

test("all files are committed byte for byte", async () => {
  expect((await owner.post(`${session}/preview/git/commit`, { message: "Names" })).status).toBe(200);
  const { files } = (await owner.get(`${session}/preview/changed-files`)).body.data;
  for (const name of names) expect(files).toContainEqual(expect.objectContaining({ path: name, committed: true }));
  const job = await owner.run(
    session,
    { bash: "git show HEAD:日本語/ファイル.txt | od -An -c | tr -d ' \\n'" },
    { say: "." },
  );
  expect((await owner.listBlocks(session, job.id))[0]?.output).toContain("three\\r\\nfour\\rfive\\n");
});
