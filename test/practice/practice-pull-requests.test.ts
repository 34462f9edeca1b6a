import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type PracticeCodeHost, startPracticeCodeHost } from "../../practice/code-host/practice-code-host.ts";

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
