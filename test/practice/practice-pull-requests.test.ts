import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type PracticeCodeHost, startPracticeCodeHost } from "../../practice/code-host/practice-code-host.ts";
import { git } from "../support/git.ts";

const token = "code-host-token";
let folder: string;
let codeHost: PracticeCodeHost;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "code-host-pulls-"));
  codeHost = await startPracticeCodeHost({ folder, token });
  await codeHost.createRepository("acme/board", { "README.md": "# Board\n" });
});
afterEach(async () => {
  await codeHost.close();
  await rm(folder, { recursive: true, force: true });
});

async function call(method: string, path: string, body?: unknown, authorization = `Bearer ${token}`) {
  const init = { method, headers: { authorization }, ...(body === undefined ? {} : { body: JSON.stringify(body) }) };
  const answer = await fetch(codeHost.url + path, init);
  return { status: answer.status, body: await answer.json().catch(() => null) };
}
const pulls = "/repos/acme/board/pulls";
const request = { title: "Faster board", head: "topic", base: "main" };

test("a pull request is kept over a restart, and numbers continue", async () => {
  expect((await call("POST", pulls, { ...request, body: "Why.", draft: true })).status).toBe(201);
  await codeHost.close();
  codeHost = await startPracticeCodeHost({ folder, token });
  const { body } = await call("GET", `${pulls}/1`);
  expect(body).toMatchObject({
    number: 1,
    title: "Faster board",
    body: "Why.",
    draft: true,
    state: "open",
    merged: false,
  });
  expect(body).toMatchObject({ head: { ref: "topic" }, base: { ref: "main" } });
  expect((await call("POST", pulls, { ...request, head: "other" })).body).toMatchObject({ number: 2 });
});

test("a branch has one open pull request per base, and can have another after it is closed", async () => {
  await call("POST", pulls, request);
  expect(await call("POST", pulls, request)).toMatchObject({
    status: 422,
    body: { message: expect.stringContaining("topic") },
  });
  expect((await call("PATCH", `${pulls}/1`, { state: "closed" })).body).toMatchObject({ state: "closed" });
  expect((await call("POST", pulls, request)).body).toMatchObject({ number: 2 });
});

test("a merge closes it for good; a draft is not merged", async () => {
  await call("POST", pulls, { ...request, draft: true });
  expect((await call("PUT", `${pulls}/1/merge`)).status).toBe(405);
  await call("POST", pulls, { ...request, head: "ready" });
  expect((await call("PUT", `${pulls}/2/merge`)).body).toMatchObject({ merged: true });
  expect((await call("GET", `${pulls}/2`)).body).toMatchObject({ state: "closed", merged: true });
  expect((await call("PATCH", `${pulls}/2`, { state: "open" })).status).toBe(422);
});

test.each([
  ["POST", "/repos/acme/none/pulls", 404],
  ["GET", `${pulls}/1`, 404],
  ["DELETE", pulls, 404],
  ["GET", "/repos/acme/board/../../secrets/pulls/1", 404],
  ["POST", pulls, 422],
])("%s %s returns %s if nothing matches", async (method, path, status) => {
  expect((await call(method, path, method === "GET" ? undefined : {})).status).toBe(status);
});

test("its changed files are listed as GitHub lists them, a page at a time", async () => {
  const clone = join(folder, "clone");
  const run = async (...args: string[]) => {
    const done = await git(folder, ["-c", "user.name=A", "-c", "user.email=a@a", ...args]);
    expect([args, done.exitCode, done.stderr]).toEqual([args, 0, expect.any(String)]);
  };
  const bare = codeHost.getFolder("acme/board");
  await run("clone", "--quiet", bare, clone);
  const long = "one\ntwo\nthree\nfour\n";
  for (const [name, content] of Object.entries({ "old name.md": long, "gone.md": "gone\n" }))
    await writeFile(join(clone, name), content);
  await run("-C", clone, "add", "--all");
  await run("-C", clone, "commit", "--quiet", "--message", "base");
  await run("-C", clone, "push", "--quiet", "origin", "HEAD:main");
  await run("-C", clone, "mv", "old name.md", "new name.md");
  await run("-C", clone, "rm", "--quiet", "gone.md");
  await writeFile(join(clone, "README.md"), "# Board\ndiff --git a/x b/x\n-- a list\n");
  await writeFile(join(clone, "é.bin"), Buffer.from([0, 1, 2]));
  await run("-C", clone, "add", "--all");
  await run("-C", clone, "commit", "--quiet", "--message", "topic");
  await run("-C", clone, "push", "--quiet", "origin", "HEAD:topic");
  await call("POST", pulls, request);
  const { status, body } = await call("GET", `${pulls}/1/files`);
  expect(status).toBe(200);
  const sha = expect.stringMatching(/^[0-9a-f]{40}$/);
  const none = { sha, additions: 0, deletions: 0, changes: 0 };
  expect(body).toEqual([
    {
      ...{ sha, filename: "README.md", status: "modified", additions: 2, deletions: 0, changes: 2 },
      patch: "@@ -1 +1,3 @@\n # Board\n+diff --git a/x b/x\n+-- a list",
    },
    {
      ...{ sha, filename: "gone.md", status: "removed", additions: 0, deletions: 1, changes: 1 },
      patch: "@@ -1 +0,0 @@\n-gone",
    },
    { ...none, filename: "new name.md", status: "renamed", previous_filename: "old name.md" },
    { ...none, filename: "é.bin", status: "added" },
  ]);
  const second = await call("GET", `${pulls}/1/files?per_page=1&page=2`);
  expect(second.body).toMatchObject([{ filename: "gone.md" }]);
});

test("a body that is not JSON is refused", async () => {
  const headers = { authorization: `Bearer ${token}` };
  const answer = await fetch(codeHost.url + pulls, { method: "POST", headers, body: "{" });
  expect(answer.status).toBe(400);
});

test("a request without the token is refused", async () => {
  for (const authorization of ["Bearer wrong", "Bearer ", "Basic nonsense", "code-host-token"]) {
    expect((await call("GET", `${pulls}/1`, undefined, authorization)).status).toBe(401);
    expect((await call("POST", "/graphql", {}, authorization)).status).toBe(401);
  }
});
