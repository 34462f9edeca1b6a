// A drafted commit message: written by the session's model from the uncommitted changes of a
// running sandbox.
import { randomUUID } from "node:crypto";
import { beforeAll, describe, expect, test } from "vitest";
import { apiWorld } from "../support/api-world.ts";
import { createClient, script } from "../support/client.ts";

const world = apiWorld();
const owner = createClient(world);
let session: string;

async function open(title: string) {
  const created = await owner.createSession({ title, content: script({ say: "Ready." }) });
  await owner.jobUntil(created.path, created.jobId);
  return created;
}

beforeAll(async () => {
  session = (await open("Draft")).path;
});

const draft = (of = session, person = owner) => person.post(`${of}/preview/git/commit-message`);
const edit = (path: string, content: string, of = session) =>
  owner.put(`${of}/preview/files/content`, { path, content, clientId: randomUUID() });

test("without changes there is no draft", async () => {
  const { status, body } = await draft();
  expect([status, body.code]).toEqual([400, "BAD_REQUEST"]);
});

test("a draft describes the changes, commits nothing, and can be used for a commit", async () => {
  await edit("README.md", "# Changed\n");
  const one = await draft(session, createClient(world, "member"));
  expect([one.status, one.body]).toEqual([200, { data: { message: "Change README.md" } }]);
  await owner.run(session, { bash: "echo new > new.txt; rm server.js" }, { say: "Done." });
  const { message } = (await draft()).body.data;
  expect(message).toBe("Change 3 files\n\n- Change README.md\n- Add new.txt\n- Delete server.js");
  expect((await owner.get(`${session}/preview/git-state`)).body.data.hasUncommittedChanges).toBe(true);
  expect((await owner.post(`${session}/preview/git/commit`, { message })).status).toBe(200);
  expect((await owner.get(`${session}/preview/commits`)).body.data.commits[0].message).toBe(message);
});

test("a file whose name is not text is drafted and committed like any other", async () => {
  await owner.run(session, { bash: "echo new > $(printf 'caf\\351.txt')" }, { say: "Done." });
  const { files } = (await owner.get(`${session}/preview/changed-files`)).body.data;
  expect(files).toContainEqual(expect.objectContaining({ path: "caf\ufffd.txt", status: "added", committed: false }));
  const { message } = (await draft()).body.data;
  expect(message).toBe("Add caf\ufffd.txt");
  expect((await owner.post(`${session}/preview/git/commit`, { message })).status).toBe(200);
  expect((await draft()).status).toBe(400);
});

test("if there are too many changes, the draft describes those that fit", async () => {
  await owner.run(
    session,
    { bash: "line=$(printf 'x%.0s' {1..300}); for i in {1..2000}; do echo $line > many-$i.txt; done" },
    { say: "Done." },
  );
  const { message } = (await draft()).body.data;
  expect(message.length).toBeLessThanOrEqual(2_000);
  expect(message).toMatch(/^Change \d+ files\n/);
  await owner.run(session, { bash: "git clean -fdq" }, { say: "Done." });
});

test.each(["openai", "zai", "kimi"])("the session's model drafts it, with any provider: %s", async (provider) => {
  const { data } = (await owner.get("/api/models")).body;
  const model = data.find((entry: { provider: string }) => entry.provider === provider).value;
  const sent = await owner.send(session, script({ say: "Ready." }), { model });
  await owner.jobUntil(session, sent.body.data.chatJobId);
  await edit("README.md", `# Changed by ${provider}\n`);
  expect((await draft()).body).toEqual({ data: { message: "Change README.md" } });
});

test("instructions in a patch are not followed", async () => {
  await edit("README.md", script({ bash: "touch followed" }, { say: "Followed." }));
  expect((await draft()).body).toEqual({ data: { message: "Change README.md" } });
});

test("the session's spend limit stops drafts", async () => {
  await edit("README.md", "# Costly\n");
  await owner.put(session, { spendLimitUsd: 0 });
  const { status, body } = await draft();
  expect([status, body.code]).toEqual([402, "CREDIT_LIMIT_REACHED"]);
  await owner.put(session, { spendLimitUsd: null });
  expect((await draft()).status).toBe(200);
});

describe("a sandbox that is not running", () => {
  test("drafts nothing and is not woken", async () => {
    const { id, path } = await open("Draft in a paused sandbox");
    await edit("README.md", "# Changed\n", path);
    await owner.post(`/api/organizations/${world.workspaceId}/stop-sandboxes`, { sessionIds: [id] });
    for (const of of [path, (await owner.createSession({ title: "Never woken" })).path]) {
      const { status, body } = await draft(of);
      expect([status, body.code]).toEqual([400, "BAD_REQUEST"]);
    }
    expect((await owner.get(`${path}/preview/git-state`)).body.data.available).toBe(false);
  });
});
