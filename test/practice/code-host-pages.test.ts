// The pages of the practice code host: whom they admit, what they show, and the effects and events
// of their buttons.

import { mkdtemp, rm } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { type PracticeCodeHost, startPracticeCodeHost } from "../../practice/code-host/practice-code-host.ts";
import { until } from "../support/until.ts";

const token = "code-host-token";
const repository = "acme/board";
const hostile = `<script>alert(1)</script> & "quotes" 'too'`;
let folder: string;
let codeHost: PracticeCodeHost;
let receiver: Server;
let cookie: string;
/** The webhooks that came, as `event action`. */
let received: string[];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "code-host-pages-"));
  receiver = createServer(async (request, response) => {
    const { action = "" } = JSON.parse(await text(request));
    received.push(`${request.headers["x-github-event"]} ${action}`.trim());
    response.end();
  });
  await new Promise<void>((done) => receiver.listen(0, "127.0.0.1", done));
  const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}`;
  codeHost = await startPracticeCodeHost({ folder, token, webhooks: { url, secret: "secret" } });
  await codeHost.createRepository(repository, { "README.md": "# Board\n" });
  const entered = await fetch(codeHost.pagesUrl, { redirect: "manual" });
  expect([entered.status, entered.headers.get("location")]).toEqual([303, "/"]);
  cookie = (entered.headers.get("set-cookie") ?? "").split(";")[0] ?? "";
});
beforeEach(() => {
  received = [];
});
afterAll(async () => {
  await codeHost.close();
  receiver.closeAllConnections();
  receiver.close();
  await rm(folder, { recursive: true, force: true });
});

const see = async (path: string, headers: Record<string, string> = { cookie }) => {
  const answer = await fetch(codeHost.url + path, { headers });
  return { status: answer.status, headers: answer.headers, page: await answer.text() };
};
const press = (path: string, fields: Record<string, string>, headers: Record<string, string> = {}) =>
  fetch(codeHost.url + path, {
    method: "POST",
    headers: { cookie, origin: codeHost.url, ...headers },
    body: new URLSearchParams(fields),
    redirect: "manual",
  });
const api = async (method: string, path: string, body: object) => {
  const headers = { authorization: `Bearer ${token}` };
  return (await fetch(codeHost.url + path, { method, headers, body: JSON.stringify(body) })).json();
};

let number = 0;
async function openPullRequest(): Promise<string> {
  number++;
  await api("POST", `/repos/${repository}/pulls`, {
    title: `${hostile} ${number}`,
    body: hostile,
    head: "main",
    base: `base-${number}`,
  });
  return `/${repository}/pull/${number}`;
}
const webhook = (event: string) => until(`a webhook: ${event}`, () => received.includes(event));

test("the pages need the link's key, which grants access only to the pages", async () => {
  for (const headers of [{}, { cookie: "practice_forge=wrong" }, { cookie: `${cookie}x` }]) {
    const seen = await see(`/${repository}`, headers as Record<string, string>);
    expect([seen.status, seen.page.includes("README")]).toEqual([401, false]);
  }
  expect((await press(`/${repository}/silence`, { silent: "yes" }, { cookie: "" })).status).toBe(401);
  const key = cookie.split("=")[1];
  for (const path of [`/repos/${repository}/pulls`, `/${repository}.git/info/refs?service=git-upload-pack`]) {
    expect((await fetch(codeHost.url + path, { headers: { cookie } })).status).toBe(401);
    expect((await fetch(codeHost.url + path, { headers: { authorization: `Bearer ${key}` } })).status).toBe(401);
  }
});

test("a form of any other page is refused", async () => {
  const path = await openPullRequest();
  for (const origin of ["http://evil.example", "null", ""]) {
    expect((await press(path, { action: "close" }, { origin })).status).toBe(403);
  }
  expect((await see(path)).page).toContain('data-state="open"');
});

test("user text is shown as written, never as markup", async () => {
  const path = await openPullRequest();
  for (const seen of [await see(path), await see(`/${repository}`)]) {
    expect(seen.page).toContain("&lt;script&gt;alert(1)&lt;/script&gt; &amp; &quot;quotes&quot; &#39;too&#39;");
    expect(seen.page).not.toContain("<script");
    expect(seen.headers.get("content-security-policy")).toContain("default-src 'none'");
  }
});

test("the pages show branches, commits and patches", async () => {
  const { page } = await see(`/${repository}`);
  expect(page).toContain("Initial commit");
  const sha = /commit\/([0-9a-f]{40})/.exec(page)?.[1];
  expect((await see(`/${repository}/commit/${sha}`)).page).toContain('<span class="added">+# Board</span>');
  expect((await see("/")).page).toContain(`href="/${repository}"`);
});

test("an unknown page shows an error", async () => {
  for (const path of ["/acme/other", `/${repository}/pull/999`, `/${repository}/commit/abc`, `/${repository}/checks`]) {
    expect((await see(path)).status).toBe(404);
  }
  expect((await press(`/${repository}/commits`, { branch: "no-such-branch" })).status).toBe(404);
  expect((await press(await openPullRequest(), { action: "explode" })).status).toBe(404);
});

test.each([
  [["draft"], "draft", "pull_request converted_to_draft"],
  [["draft", "ready"], "open", "pull_request ready_for_review"],
  [["close"], "closed", "pull_request closed"],
  [["close", "reopen"], "open", "pull_request reopened"],
  [["merge"], "merged", "pull_request closed"],
])("the button %j makes a pull request %s, and sends a webhook", async (actions, state, event) => {
  const path = await openPullRequest();
  for (const action of actions) {
    const pressed = await press(path, { action });
    expect([pressed.status, pressed.headers.get("location")]).toEqual([303, path]);
  }
  expect((await see(path)).page).toContain(`data-state="${state}"`);
  await webhook(event);
});

test("a draft is not merged, and the page shows why", async () => {
  const path = await openPullRequest();
  await press(path, { action: "draft" });
  const pressed = await press(path, { action: "merge" });
  expect([pressed.status, await pressed.text()]).toEqual([409, expect.stringContaining("cannot be merged")]);
});

test("a button passes or fails a check, and sends a webhook", async () => {
  const path = await openPullRequest();
  const sha = /commit\/([0-9a-f]{40})/.exec((await see(path)).page)?.[1] ?? "";
  for (const [conclusion, state, event] of [
    ["", "pending", "check_run created"],
    ["failure", "failure", "check_run completed"],
    ["success", "success", "check_run completed"],
  ]) {
    received = [];
    const pressed = await press(`/${repository}/checks`, { sha, back: path, conclusion: conclusion ?? "" });
    expect([pressed.status, pressed.headers.get("location")]).toEqual([303, path]);
    expect((await see(path)).page).toContain(`data-state="${state}"`);
    await webhook(event ?? "");
  }
});

test("a button adds another person's commit to a branch, and sends a webhook; the redirect stays within the repository", async () => {
  const pressed = await press(`/${repository}/commits`, { branch: "main", back: "//evil.example/x" });
  expect([pressed.status, pressed.headers.get("location")]).toEqual([303, `/${repository}`]);
  expect((await see(`/${repository}`)).page).toContain("Note of ");
  await webhook("push");
});

test("a visitor opens a pull request as any account, and sets and removes its labels", async () => {
  await api("POST", `/repos/${repository}/issues`, { title: "An issue before it" });
  number++;
  const draft = { title: hostile, head: "main", base: "old", user: "mia-member", draft: "yes" };
  const opened = await press(`/${repository}/pull`, draft);
  const path = opened.headers.get("location") ?? "";
  number = Number(path.split("/").at(-1));
  expect([opened.status, path]).toEqual([303, `/${repository}/pull/${number}`]);
  for (const action of ["label", "unlabel"]) {
    await press(path, { action, label: "switchyard:go", user: "mia-member" });
    const { page } = await see(path);
    expect(page.includes('<span class="grows">switchyard:go</span>')).toBe(action === "label");
    expect(page).toContain('data-state="draft"');
  }
  for (const action of ["opened", "labeled", "unlabeled"]) await webhook(`pull_request ${action}`);
  for (const wrong of [{ title: "" }, { head: "none" }, { base: "main" }, { user: "nobody" }, {}])
    expect((await press(`/${repository}/pull`, { ...draft, ...wrong })).status).toBe(404);
});

test("a visitor opens an issue, sets and removes labels as any account, and closes it", async () => {
  const opened = await press(`/${repository}/issues`, { title: hostile, body: hostile, user: "sam-stranger" });
  const path = opened.headers.get("location") ?? "";
  // Issues and pull requests are numbered together.
  const number = Number(path.split("/").at(-1));
  expect(number).toBeGreaterThan(1);
  expect([opened.status, path]).toEqual([303, `/${repository}/issues/${number}`]);
  expect((await see(`/${repository}`)).page).toContain(`href="${path}"`);
  for (const action of ["label", "unlabel"]) {
    await press(path, { action, label: "switchyard", user: "practice[bot]" });
    expect((await see(path)).page.includes('<span class="grows">switchyard</span>')).toBe(action === "label");
  }
  for (const user of ["sam-stranger", "practice[bot]"]) await press(path, { action: "comment", body: hostile, user });
  expect((await see(path)).page).toContain("practice[bot]");
  await press(path, { action: "close" });
  const { page } = await see(path);
  expect(page).toContain('data-state="closed"');
  expect(page).toContain("opened by sam-stranger");
  expect(page).not.toContain("<script");
  for (const action of ["opened", "labeled", "unlabeled", "closed"]) await webhook(`issues ${action}`);
  await webhook("issue_comment created");
  for (const [wrong, fields] of [
    [`/${repository}/issues`, { title: "" }],
    [`/${repository}/issues/${number + 1}`, { action: "close" }],
    [path, { action: "explode" }],
    [path, { action: "comment", body: " " }],
    [path, { action: "comment", body: "Hello.", user: "nobody" }],
  ] as const)
    expect((await press(wrong, fields)).status).toBe(404);
});
