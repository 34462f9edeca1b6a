// One file of a session's sandbox, read and written through the API.
import { createHash, randomUUID } from "node:crypto";
import { beforeAll, describe, expect, test } from "vitest";
import { apiWorld } from "../support/api-world.ts";
import { createClient, script } from "../support/client.ts";
import { exchange } from "../support/http-exchange.ts";

const world = apiWorld();
const owner = createClient(world);
let session: string;
let files: string;
const secret = "this file lies outside of the project";

beforeAll(async () => {
  const created = await owner.createSession({
    title: "Files",
    content: script(
      { write: { path: "notes/plain.txt", content: "one\ntwo\n" } },
      { bash: `echo '${secret}' > ../outside.txt; echo '${secret}' > "$HOME/.secret"` },
      { bash: "ln -s ../outside.txt link-out; ln -s .. up; ln -s notes/plain.txt link-in; ln -s nowhere dangling" },
      { bash: "ln -s loop loop; ln -s .git git-link; ln -s /proc/self/environ environ; mkfifo pipe" },
      { bash: "printf 'a\\0b' > binary.bin; printf '\\377\\376' > latin.txt; : > empty.txt; echo x > 'ä b#%?.txt'" },
      { bash: "echo '#!/bin/sh' > run.sh; chmod 755 run.sh; echo locked > read-only.txt; chmod 444 read-only.txt" },
      { say: "Laid out." },
    ),
  });
  session = created.path;
  files = `${session}/preview/files/content`;
  expect((await owner.jobUntil(session, created.jobId)).status).toBe("completed");
});

const clientId = randomUUID();
const hashOf = (content: string) => createHash("sha256").update(content).digest("hex");
const read = (path: string) => owner.get(`${files}?path=${encodeURIComponent(path)}`);
const write = (path: string, content: string) => owner.put(files, { path, content, clientId });

describe("a file is read unchanged", () => {
  test.each([
    ["notes/plain.txt", "one\ntwo\n"],
    ["./notes/plain.txt", "one\ntwo\n"],
    ["notes//plain.txt", "one\ntwo\n"],
    ["link-in", "one\ntwo\n"],
    ["up/project/notes/plain.txt", "one\ntwo\n"],
    ["empty.txt", ""],
    ["ä b#%?.txt", "x\n"],
  ])("%s", async (path, content) => {
    const { status, body } = await read(path);
    expect({ status, body }).toEqual({ status: 200, body: { data: { content, hash: hashOf(content) } } });
  });
});

test("a file of the repository can be read", async () => {
  expect((await read("package.json")).body.data.content).toMatch(/"name"/);
});

describe("a write replaces a file and is read back unchanged", () => {
  const texts = [
    "changed\n",
    "",
    "no newline",
    "\r\n\r\n",
    "🚋 Straßenbahn 日本語",
    '{"a": "\\u0001"}',
    "﻿with a mark",
    "a\t\u007f\u0085b",
  ];
  test.each(texts)("%j", async (content) => {
    const { status, body } = await write("notes/plain.txt", content);
    expect({ status, data: body.data }).toEqual({
      status: 200,
      data: {
        path: "notes/plain.txt",
        updatedAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:]{8}\.\d{3}Z$/),
        hash: hashOf(content),
      },
    });
    expect((await read("notes/plain.txt")).body.data.content).toBe(content);
  });

  test.each([
    ["one byte each", "a"],
    ["three bytes each", "語"],
  ])("1,048,576 characters of %s", async (_, character) => {
    const content = character.repeat(1_048_576);
    expect((await write("notes/plain.txt", content)).status).toBe(200);
    expect((await read("notes/plain.txt")).body.data.content).toBe(content);
  });

  test("a write on a content that is no longer there is refused with the present hash", async () => {
    await write("notes/plain.txt", "theirs");
    const onto = (baseHash: string) =>
      owner.put(files, { path: "notes/plain.txt", content: "mine", clientId, baseHash });
    const { status, body } = await onto(hashOf("before"));
    expect([status, body.code, body.details]).toEqual([409, "FILE_CHANGED", { hash: hashOf("theirs") }]);
    expect((await read("notes/plain.txt")).body.data.content).toBe("theirs");
    expect((await onto(body.details.hash)).status).toBe(200);
    expect((await read("notes/plain.txt")).body.data.content).toBe("mine");
  });

  test("a write keeps the executable bit", async () => {
    expect((await write("run.sh", "#!/bin/sh\necho ran\n")).status).toBe(200);
    const job = await owner.run(session, { bash: "./run.sh" }, { say: "Ran it." });
    expect((await owner.listBlocks(session, job.id))[0]).toEqual(expect.objectContaining({ output: "ran\n" }));
  });

  test("a write through a symbolic link within the project changes the link's target", async () => {
    expect((await write("link-in", "through the link")).status).toBe(200);
    expect((await read("notes/plain.txt")).body.data.content).toBe("through the link");
  });
});

describe("a path that is not of a file in the project returns 404 for reads and writes", () => {
  const paths = [
    "missing.txt",
    "notes",
    "notes/",
    ".",
    "./",
    "notes/plain.txt/more",
    "dangling",
    "loop",
    "pipe",
    "../outside.txt",
    "notes/../../outside.txt",
    "notes/../notes/plain.txt",
    "..",
    "....//outside.txt",
    "..\\outside.txt",
    "/etc/passwd",
    "//etc/passwd",
    "~/.secret",
    "$HOME/.secret",
    "file:///etc/passwd",
    "link-out",
    "up/outside.txt",
    "environ",
    ".git/config",
    ".git/HEAD",
    ".GIT/config",
    ".git",
    "./.git/config",
    "git-link/config",
    "notes/../.git/config",
    "a".repeat(300),
  ];
  test.each(paths)("%s", async (path) => {
    const seen = await read(path);
    expect([seen.status, seen.body.code]).toEqual([404, "NOT_FOUND"]);
    expect(JSON.stringify(seen.body)).not.toContain(secret);
    const changed = await write(path, "overwritten");
    expect([changed.status, changed.body.code]).toEqual([404, "NOT_FOUND"]);
  });

  test("nothing outside of the project is changed", async () => {
    const job = await owner.run(session, { bash: 'cat ../outside.txt "$HOME/.secret" .git/HEAD' }, { say: "Looked." });
    const [block] = await owner.listBlocks(session, job.id);
    expect(block?.output).toMatch(new RegExp(`^${secret}\n${secret}\nref: refs/heads/svc/files-`));
  });
});

describe("an encoded path is decoded once", () => {
  test.each([
    "%2e%2e%2foutside.txt",
    "..%2foutside.txt",
    "%252e%252e%252foutside.txt",
    "..%5coutside.txt",
    "%2fetc%2fpasswd",
    "notes%2f..%2f..%2foutside.txt",
    "..%c0%afoutside.txt",
    "%2e%67it/config",
    "notes/plain.txt%00.png",
    "notes/plain.txt%0a",
  ])("%s", async (encoded) => {
    const headers = { authorization: `Bearer ${world.users.owner.apiKey}` };
    const { status, text } = await exchange(world.baseUrl, { path: `${files}?path=${encoded}`, headers });
    expect([400, 404]).toContain(status);
    expect(text).not.toContain(secret);
  });
});

test.each(["binary.bin", "latin.txt"])("a file that is not text is not read: %s", async (path) => {
  const { status, body } = await read(path);
  expect([status, body.code]).toEqual([400, "BAD_REQUEST"]);
});

test.each(["a\0b", "\0", `${"text ".repeat(1_000)}\0`])(
  "content with a NUL character is binary and not written",
  async (content) => {
    const { status, body } = await write("notes/plain.txt", content);
    expect([status, body.code]).toEqual([400, "BAD_REQUEST"]);
    expect((await read("notes/plain.txt")).body.data.content).not.toContain("\0");
  },
);

test.each(["", "?path=", "?Path=package.json"])("a read without a path returns 400 BAD_REQUEST: %s", async (query) => {
  const { status, body } = await owner.get(files + query);
  expect([status, body.code]).toEqual([400, "BAD_REQUEST"]);
});

test("a write accepts 8 MiB of JSON, and a larger body returns 413", async () => {
  const { status, body } = await write("notes/plain.txt", "a".repeat(8 * 1_024 * 1_024));
  expect([status, body.code]).toEqual([413, "PAYLOAD_TOO_LARGE"]);
});

describe("while a turn runs", () => {
  test("a write, a commit and a push return 409 JOB_ACTIVE, and a read works", async () => {
    await write("notes/plain.txt", "before the turn");
    const { chatJobId } = (await owner.send(session, script({ sleep: 20_000 }, { say: "never" }))).body.data;
    const refused = [
      await write("notes/plain.txt", "during the turn"),
      await owner.post(`${session}/preview/git/commit`, { message: "m" }),
      await owner.post(`${session}/preview/git/push`),
    ];
    for (const { status, body } of refused) expect([status, body.code]).toEqual([409, "JOB_ACTIVE"]);
    expect((await read("notes/plain.txt")).body.data.content).toBe("before the turn");
    await owner.post(`${session}/jobs/chat/${chatJobId}/cancel`);
    await owner.jobUntil(session, chatJobId);
    expect((await write("notes/plain.txt", "after the turn")).status).toBe(200);
  });
});

describe("a sandbox that was never woken", () => {
  test("has no files to read or write", async () => {
    const { path } = await owner.createSession({ title: "Asleep" });
    const refused = [
      await owner.get(`${path}/preview/files/content?path=package.json`),
      await owner.put(`${path}/preview/files/content`, { path: "package.json", content: "{}", clientId }),
    ];
    for (const { status, body } of refused) expect([status, body.code]).toEqual([400, "BAD_REQUEST"]);
    const health = await owner.get(
      `/api/projects/${world.projectId}/preview/health?sessionId=${path.split("/").at(-1)}`,
    );
    expect(health.body.data.needsStart).toBe(true);
  });

  test.each([
    ["active", "Request the preview to wake it"],
    ["backlog", "has no sandbox until it is activated"],
    ["archived", "no longer has a sandbox"],
  ] as const)(
    "of a session that is %s: a request that needs it is refused because the session %s",
    async (status, words) => {
      const { path } = await owner.createSession({ title: "Asleep", status: "backlog", prompt: "Later." });
      const { path: active } = await owner.createSession({ title: "Asleep" });
      const of = `${status === "active" ? active : path}/preview`;
      if (status === "archived") await owner.put(path, { status });
      const answers = [
        await owner.get(`${of}/files/content?path=package.json`),
        await owner.put(`${of}/files/content`, { path: "package.json", content: "{}", clientId }),
        await owner.post(`${of}/git/commit-message`),
        await owner.get(`${of}/diff`),
      ];
      expect(answers.map((answer) => [answer.status, answer.body.error])).toEqual(
        [400, 400, 400, 503].map((code) => [code, expect.stringContaining(words)]),
      );
    },
  );
});
