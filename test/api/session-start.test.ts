// The start of a session, and what it can start with: a message, out of the Backlog, for which
// Assignee, and on which model.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { getWorkspaceLogin } from "../../src/provider-login/rules/login.ts";
import { apiWorld } from "../support/api-world.ts";
import { createClient, type Reply, script } from "../support/client.ts";
import { createCollaborator } from "../support/collaborator.ts";
import { createInside } from "../support/world-inside.ts";

const world = apiWorld();
const owner = createClient(world);
const member = createClient(world, "member");
const { sql } = createInside(world);
const create = (body: Record<string, unknown>) => owner.post(owner.sessions, body);
const record = async (path: string) => (await owner.get(path)).body.data.session;
const refused = ({ status, body }: Reply) => ({ status, code: body.code });
const badRequest = { status: 400, code: "BAD_REQUEST" };
const invalid = { status: 400, code: "VALIDATION_ERROR" };

/**
 * A model whose provider nobody here can run during these tests; and one that everybody can run.
 */
const runnable = "openai:gpt__low";
let model: string;
/** A Backlog session that was created while its model could be run. */
let filed: string;
let credential: Record<string, unknown> | undefined;
beforeAll(async () => {
  const models: { value: string; provider: string }[] = (await owner.get("/api/models")).body.data;
  model = models.find(({ provider }) => provider === "kimi")?.value ?? "";
  const prompt = script({ say: "On another." });
  filed = (await owner.createSession({ status: "backlog", prompt, model })).path;
  const { id } = getWorkspaceLogin(world.workspaceId, "kimi");
  [credential] = await sql("SELECT * FROM provider_logins WHERE id = ?", id);
  await sql("DELETE FROM provider_logins WHERE id = ?", id);
});
afterAll(async () => {
  const columns = Object.keys(credential ?? {});
  await sql(
    `INSERT INTO provider_logins (${columns.join(", ")}) VALUES (${columns.map(() => "?").join(", ")})`,
    ...Object.values(credential ?? {}),
  );
});

describe("a Backlog session that is activated", () => {
  test("gets its branch, and its prompt starts the first turn", async () => {
    const prompt = script({ say: "Started." });
    const { path, id } = await owner.createSession({ status: "backlog", title: "Do it", prompt, assigneeId: null });
    const { status, body } = await member.post(`${path}/activate`);
    expect([status, Object.keys(body.data).sort()]).toEqual([200, ["chatJobId", "delivery", "jobNumber", "session"]]);
    expect(body.data).toMatchObject({
      delivery: "job",
      jobNumber: 1,
      session: {
        id,
        status: "active",
        prompt,
        branch: `svc/do-it-${id.slice(-6)}`,
        startedAt: expect.any(String),
        // Who starts it is the author of its first message.
        assignee: { kind: "member", userId: world.users.member.id },
        latestChatJob: { id: body.data.chatJobId },
      },
    });
    expect((await owner.jobUntil(path, body.data.chatJobId)).status).toBe("completed");
    const messages = await owner.messages(path);
    expect(messages[0]).toMatchObject({ role: "user", content: prompt, author: { userId: world.users.member.id } });
    expect(messages[1].blocks).toEqual([{ type: "text", content: "Started." }]);
  });

  test("starts no turn without a prompt", async () => {
    for (const prompt of [undefined, "  \n"]) {
      const { path } = await owner.createSession({ status: "backlog", title: "Empty", ...(prompt && { prompt }) });
      const { status, body } = await owner.post(`${path}/activate`);
      expect([status, Object.keys(body.data)]).toEqual([200, ["session"]]);
      expect(body.data.session).toMatchObject({ status: "active", latestChatJob: null });
      expect(await owner.messages(path)).toEqual([]);
    }
  });

  test("is activated once by concurrent requests", async () => {
    const { path } = await owner.createSession({ status: "backlog", prompt: script({ say: "Once." }) });
    const answers = await Promise.all(Array.from({ length: 8 }, () => owner.post(`${path}/activate`)));
    const started = answers.filter(({ status }) => status === 200);
    expect(started).toHaveLength(1);
    for (const { status, body } of answers.filter((answer) => answer.status !== 200)) {
      expect(["400 BAD_REQUEST", "409 SESSION_UPDATING"]).toContain(`${status} ${body.code}`);
    }
    await owner.jobUntil(path, started[0]?.body.data.chatJobId);
    expect((await owner.get(`${path}/jobs/chat`)).body.data).toHaveLength(1);
  });

  test.each(["active", "under-review", "completed", "archived"])("cannot be one that is %s", async (status) => {
    const { path } = await owner.createSession({ title: "Started" });
    if (status !== "active") await owner.put(path, { status });
    const before = await record(path);
    expect(refused(await owner.post(`${path}/activate`))).toEqual(badRequest);
    expect(await record(path)).toEqual(before);
  });

  test("uses its current prompt and title", async () => {
    const { path, id } = await owner.createSession({ status: "backlog", title: "Old", prompt: "Old." });
    await owner.put(path, { title: "New title", prompt: script({ say: "New." }) });
    const { body } = await owner.post(`${path}/activate`);
    expect(body.data.session.branch).toBe(`svc/new-title-${id.slice(-6)}`);
    await owner.jobUntil(path, body.data.chatJobId);
    expect((await owner.messages(path))[1].blocks.at(-1).content).toBe("New.");
  });
});

describe("a create", () => {
  test("is assigned to the caller, to nobody or to a member", async () => {
    expect((await create({ title: "Mine" })).body.data.session.assignee.userId).toBe(world.users.owner.id);
    expect((await create({ title: "Nobody's", assigneeId: null })).body.data.session.assignee).toBe(null);
    const { session } = (await create({ title: "Theirs", assigneeId: world.users.member.id })).body.data;
    expect(session.assignee).toEqual({
      kind: "member",
      userId: world.users.member.id,
      name: "Mia Member",
      imageUrl: null,
    });
    for (const assigneeId of [world.users.outsider.id, "usr_nobody", ""]) {
      expect(refused(await create({ title: "A stranger's", assigneeId }))).toEqual(badRequest);
    }
    expect(refused(await create({ title: "A number's", assigneeId: 5 }))).toEqual(invalid);
  });

  test("that is unassigned is assigned to its first sender", async () => {
    const { path } = await owner.createSession({ title: "Nobody's", assigneeId: null });
    const sent = await member.send(path, script({ say: "Mine now." }));
    await member.jobUntil(path, sent.body.data.chatJobId);
    await owner.run(path, { say: "Not mine." });
    expect((await record(path)).assignee.userId).toBe(world.users.member.id);
  });

  test.each<[string, Record<string, unknown>, { status: number; code: string }]>([
    ["a Backlog session with content", { status: "backlog", content: "Now." }, badRequest],
    ["a status that no session begins in", { status: "completed" }, invalid],
    ["an empty title", { title: " " }, invalid],
    ["a priority that there is none of", { priority: "urgentest" }, invalid],
    ["a branch name that git refuses", { targetBranch: "a..b" }, invalid],
    ["a branch name that is an option", { targetBranch: "--upload-pack=x" }, invalid],
    ["a model that is not in the catalog", { model: "anthropic:nothing__high" }, invalid],
    ["a model that is no text", { model: 7 }, invalid],
    ["content of 200,001 characters", { content: "a".repeat(200_001) }, invalid],
  ])("of %s is refused", async (_, body, expected) => {
    expect(refused(await create({ title: "Refused", ...body }))).toEqual(expected);
  });
});

describe("a model whose provider has no credential", () => {
  const message = async (reply: Promise<Reply>) => {
    const { status, body } = await reply;
    expect({ status, code: body.code }).toEqual(badRequest);
    return body.error as string;
  };

  test("is refused at create: without a message with what to do, with a message only refused", async () => {
    expect(await message(create({ status: "backlog", prompt: "Later.", model }))).toMatch(
      /kimi.*Connect|Connect.*kimi/,
    );
    expect(await message(create({ content: "Hello.", model }))).not.toMatch(/kimi|connect/i);
  });

  test("is refused by PUT with what to do, and the session's model does not change", async () => {
    const { path } = await owner.createSession({ title: "Models", model: runnable });
    expect(await message(owner.put(path, { model }))).toMatch(/kimi/);
    expect((await record(path)).model).toBe(runnable);
  });

  test("is named if a Backlog session cannot start on it, and the session stays in the Backlog", async () => {
    expect(await message(owner.post(`${filed}/activate`))).toMatch(/kimi/);
    expect(await record(filed)).toMatchObject({ status: "backlog", branch: null, startedAt: null });
    await owner.put(filed, { model: runnable });
    const started = await owner.post(`${filed}/activate`);
    expect(started.body.data.session).toMatchObject({ status: "active", model: runnable });
    await owner.jobUntil(filed, started.body.data.chatJobId);
  });

  test("is ignored by a send, whose turn runs on the session's model", async () => {
    const { path } = await owner.createSession({ title: "Models", model: runnable });
    const sent = await owner.send(path, script({ say: "On my own." }), { model });
    expect((await owner.jobUntil(path, sent.body.data.chatJobId)).status).toBe("completed");
    expect((await record(path)).model).toBe(runnable);
  });
});

describe("a model by PUT", () => {
  const other = "anthropic:sonnet__high";
  test.each([
    ["backlog", "200"],
    ["active", "200"],
    ["under-review", "400 BAD_REQUEST"],
    ["completed", "400 BAD_REQUEST"],
    ["archived", "400 BAD_REQUEST"],
  ])("%s: %s", async (status, expected) => {
    const first = status === "backlog" ? { status, prompt: "Later." } : {};
    const { path } = await owner.createSession({ title: "Models", model: runnable, ...first });
    if (!["backlog", "active"].includes(status)) await owner.put(path, { status });
    const answer = await owner.put(path, { model: other });
    expect([answer.status, answer.body.code].join(" ").trim()).toBe(expected);
    expect((await record(path)).model).toBe(expected === "200" ? other : runnable);
    // Its current model is no change.
    expect((await owner.put(path, { model: (await record(path)).model })).status).toBe(200);
  });

  test("409 JOB_ACTIVE while a turn runs; an unknown model is an invalid value", async () => {
    const { path, jobId } = await owner.createSession({ content: script({ sleep: 600_000 }), model: runnable });
    expect(refused(await owner.put(path, { model: other }))).toEqual({ status: 409, code: "JOB_ACTIVE" });
    await owner.post(`${path}/jobs/chat/${jobId}/cancel`);
    await owner.jobUntil(path, jobId);
    expect((await owner.put(path, { model: other })).body.data.session.model).toBe(other);
    expect(refused(await owner.put(path, { model: "anthropic:nothing__high" }))).toEqual(invalid);
  });
});

test("the fields of a session change together, or not at all", async () => {
  const { path } = await owner.createSession({ title: "Fields" });
  await createCollaborator(world).atHost("branch", "--force", "develop", "main");
  const changes = { title: "Other", prompt: "Noted.", priority: "low", targetBranch: "develop" };
  expect((await owner.put(path, { ...changes, assigneeId: world.users.admin.id })).status).toBe(200);
  const after = await record(path);
  expect(after).toMatchObject({ ...changes, assignee: { userId: world.users.admin.id } });
  for (const wrong of [{ priority: "x" }, { assigneeId: "usr_outsider" }, { status: "backlog" }, { model: "x" }]) {
    expect((await owner.put(path, { title: "Half", ...wrong })).status).toBe(400);
    expect(await record(path)).toEqual(after);
  }
});
