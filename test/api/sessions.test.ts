// Creates a session and reads it.
import { execFileSync } from "node:child_process";
import { describe, expect, test } from "vitest";
import { apiWorld } from "../support/api-world.ts";
import { createClient, script } from "../support/client.ts";

const world = apiWorld();
const owner = createClient(world);
const uuid = expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
const timestamp = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);

const create = async (body: unknown) => await owner.post(owner.sessions, body);
const read = async (path: string) => (await owner.get(path)).body.data.session;

test("a session created without a message is Active, has a branch, and no job", async () => {
  const { status, body } = await create({ title: "Paint the shed", priority: "high" });
  expect(status).toBe(201);
  expect(Object.keys(body.data)).toEqual(["session"]);
  const { session } = body.data;
  const sessionPath = `${owner.sessions}/${session.id}`;
  expect(session).toEqual({
    id: uuid,
    projectId: world.projectId,
    title: "Paint the shed",
    titleSource: "person",
    prompt: null,
    isPromptCut: false,
    status: "active",
    priority: "high",
    model: null,
    spendLimitUsd: null,
    branch: `svc/paint-the-shed-${session.id.slice(-6)}`,
    targetBranch: "main",
    metadata: {},
    assignee: { kind: "member", userId: world.users.owner.id, name: "Olive Owner", imageUrl: null },
    createdBy: world.users.owner.id,
    filedBy: null,
    prUrl: null,
    prNumber: null,
    prState: null,
    isBehind: false,
    latestChatJob: null,
    queue: { count: 0, paused: null },
    needsYouReason: null,
    needsYouSince: null,
    isSeen: null,
    sessionPath,
    sessionUrl: world.baseUrl + sessionPath,
    createdAt: timestamp,
    updatedAt: timestamp,
    startedAt: timestamp,
    endedAt: null,
  });
  expect(await read(sessionPath)).toEqual(session);
});

test("a session created with content starts its first turn immediately", async () => {
  const content = script({ say: "Hello." });
  const { status, body } = await create({ content, model: "openai:gpt__low" });
  const { session, chatJobId } = body.data;
  expect({ status, data: body.data }).toEqual({
    status: 201,
    data: { session: expect.any(Object), delivery: "job", chatJobId: uuid, jobNumber: 1 },
  });
  expect(session.title).toBe("Please do this.");
  expect(session.model).toBe("openai:gpt__low");
  expect(session.latestChatJob).toEqual({ id: chatJobId, status: expect.any(String), jobNumber: 1 });
  const [first] = await owner.messages(session.sessionPath);
  expect(first).toEqual(expect.objectContaining({ role: "user", content, jobId: chatJobId, delivery: "job" }));
  const job = await owner.jobUntil(session.sessionPath, chatJobId);
  expect(job.status).toBe("completed");
  const after = await read(session.sessionPath);
  expect(after.latestChatJob).toEqual({ id: chatJobId, status: "completed", jobNumber: 1 });
  expect(after.model).toBe("openai:gpt__low");
});

describe("a Backlog session", () => {
  test("has its prompt, but no branch, no job and no start time", async () => {
    const { status, body } = await create({ status: "backlog", prompt: "Later, please.\nNo hurry." });
    expect(status).toBe(201);
    expect(Object.keys(body.data)).toEqual(["session"]);
    expect(body.data.session).toEqual(
      expect.objectContaining({
        title: "Later, please.",
        prompt: "Later, please.\nNo hurry.",
        status: "backlog",
        branch: null,
        startedAt: null,
        latestChatJob: null,
      }),
    );
  });

  test("accepts no message, commit or push, and its queue cannot be resumed", async () => {
    const { path } = await owner.createSession({ status: "backlog", prompt: "Later." });
    const refused = [
      await owner.send(path, "Now?"),
      await owner.post(`${path}/preview/git/commit`, { message: "m" }),
      await owner.post(`${path}/preview/git/push`),
      await owner.post(`${path}/queue/resume`),
    ];
    for (const { status, body } of refused) expect([status, body.code]).toEqual([400, "BAD_REQUEST"]);
    expect(await owner.messages(path)).toEqual([]);
    expect((await read(path)).status).toBe("backlog");
  });
});

describe("the branch of a session is a slug of its title and six characters of its id", () => {
  test.each([
    ["Fix the login!", "fix-the-login"],
    ["  Fix   the\tlogin  ", "fix-the-login"],
    ["Größe & Maß prüfen", "gro-e-ma-prufen"],
    ["../../etc/passwd", "etc-passwd"],
    ["--force origin main", "force-origin-main"],
    ["refs/heads/main.lock", "refs-heads-main-lock"],
    ["$(rm -rf ~); `id`", "rm-rf-id"],
    ["日本語だけ", "session"],
    ["🚋", "session"],
  ])("%s", async (title, slug) => {
    const { body } = await create({ title });
    const { id, branch } = body.data.session;
    expect(branch).toBe(`svc/${slug}-${id.slice(-6)}`);
  });

  test("a long title makes a valid branch", async () => {
    const { body } = await create({ title: "Long words that go on and on ".repeat(6).trim() });
    const { branch } = body.data.session;
    expect(execFileSync("git", ["check-ref-format", "--branch", branch], { encoding: "utf8" }).trim()).toBe(branch);
  });
});

test("a session without a title is named by the first line of its message or prompt, cut if it is long", async () => {
  const line = `${"word ".repeat(60)}end`;
  const { title, titleSource } = (await create({ status: "backlog", prompt: `${line}\nand more` })).body.data.session;
  expect(titleSource).toBe("first_line");
  expect(title.length).toBeLessThan(line.length);
  expect(line.startsWith(title.replace(/…$/, ""))).toBe(true);
});

test.each(["a\u0000b", "🚋 tram", '"quoted" \\ back', "‮reversed", "<script>alert(1)</script>"])(
  "a title of any characters can be created and read: %j",
  async (title) => {
    const { status, body } = await create({ title });
    expect(status).toBe(201);
    const session = await read(body.data.session.sessionPath);
    expect(session.title).toBe(title);
  },
);

test("a session can start on a retired model", async () => {
  const models: { value: string; legacy?: true }[] = (await owner.get("/api/models")).body.data;
  const model = models.find(({ legacy }) => legacy)?.value;
  const { status, body } = await create({ title: "Old ways", model });
  expect([status, body.data.session.model]).toEqual([201, model]);
});

test("every member of the workspace can read a session", async () => {
  const made = await createClient(world, "member").createSession({ title: "Shared" });
  const seen = await Promise.all(
    (["owner", "admin", "member"] as const).map(
      async (person) => (await createClient(world, person).get(made.path)).body,
    ),
  );
  expect(seen[0].data.session.createdBy).toBe(world.users.member.id);
  expect(seen[1]).toEqual(seen[0]);
  expect(seen[2]).toEqual(seen[0]);
});

test("a session with an unknown field is not created", async () => {
  const count = async () => (await owner.get(owner.sessions)).body.meta.pagination.total;
  const before = await count();
  expect((await create({ title: "Extra", colour: "green" })).status).toBe(400);
  expect(await count()).toBe(before);
});
