// Repeats: a request that is sent again under the same Idempotency-Key returns the first response,
// and nothing happens twice.
import { randomUUID } from "node:crypto";
import { beforeEach, describe, expect, test } from "vitest";
import { withoutReferences } from "../support/api-document.ts";
import { apiWorld } from "../support/api-world.ts";
import { createClient, type Reply, script } from "../support/client.ts";

const world = apiWorld();
const owner = createClient(world);
const member = createClient(world, "member");
const content = script({ say: "Done." });
const htmlVariant = { name: "a", title: "A", kind: "html", body: "<p>A</p>" };
const hookUrl = "https://hooks.example.com/again";

let session: string;
let key: Record<string, string>;
beforeEach(async () => {
  session = (await owner.createSession({ title: "Repeats" })).path;
  key = { "Idempotency-Key": randomUUID() };
});

const send = (body: unknown, by = owner) => by.post(`${session}/jobs/chat`, body, key);
const outcome = ({ status, body }: Reply) => ({ status, ...body });
const reused = { status: 409, body: { code: "IDEMPOTENCY_KEY_REUSED" } };

async function jobCount(): Promise<number> {
  return (await owner.get(`${session}/jobs/chat`)).body.data.length;
}

describe("a send", () => {
  test("that is repeated gets the first response, also long after the end of its turn", async () => {
    const first = await send({ content, model: "any" });
    await owner.jobUntil(session, first.body.data.chatJobId);
    expect(outcome(await send({ model: "any", content }))).toEqual(outcome(first));
    expect(first.status).toBe(201);
    expect(await jobCount()).toBe(1);
    expect((await owner.upNext(session)).messages).toEqual([]);
  });

  test("that is sent ten times concurrently starts one turn and queues nothing", async () => {
    const answers = await Promise.all(Array.from({ length: 10 }, () => send({ content })));
    expect(new Set(answers.map((answer) => JSON.stringify(outcome(answer)))).size).toBe(1);
    await owner.jobUntil(session, answers[0]?.body.data.chatJobId);
    expect(await jobCount()).toBe(1);
  });

  test("with another body is refused and starts nothing", async () => {
    await send({ content });
    expect(await send({ content: `${content} ` })).toMatchObject(reused);
    expect((await owner.upNext(session)).messages).toEqual([]);
  });

  test("of another user, or to another session, is another request", async () => {
    const first = await send({ content });
    await owner.jobUntil(session, first.body.data.chatJobId);
    const second = await send({ content }, member);
    expect(second.body.data.chatJobId).not.toBe(first.body.data.chatJobId);
    await owner.jobUntil(session, second.body.data.chatJobId);
    session = (await owner.createSession({ title: "Another" })).path;
    expect((await send({ content })).status).toBe(201);
    expect(await jobCount()).toBe(1);
  });

  test("that was refused may be repeated", async () => {
    const refused = await send({ content: "" });
    expect(refused.status).toBe(400);
    expect((await send({ content })).status).toBe(201);
  });

  test.each(["", "a".repeat(256), "caf\u00e9", "a\tb"])("is refused with the key %j", async (chosen) => {
    key = { "Idempotency-Key": chosen };
    const answer = await send({ content });
    expect(answer).toMatchObject({ status: 400, body: { code: "VALIDATION_ERROR" } });
    expect(answer.body.details).toEqual([{ path: "Idempotency-Key", message: expect.any(String) }]);
    expect(await jobCount()).toBe(0);
  });

  test("accepts a key of 255 characters", async () => {
    key = { "Idempotency-Key": "~ !".repeat(85) };
    expect((await send({ content })).status).toBe(201);
  });
});

describe("a form", () => {
  async function sendForm(file: string, name = "a.txt") {
    const form = new FormData();
    form.set("content", content);
    form.set("attachmentCount", "1");
    form.set("attachment_0", new File([file], name));
    const headers = { authorization: `Bearer ${world.users.owner.apiKey}`, ...key };
    const response = await fetch(`${world.baseUrl}${session}/jobs/chat`, { method: "POST", headers, body: form });
    return { status: response.status, body: (await response.json()) as Reply["body"] };
  }

  test("with the same files gets the first response, and the message has each file once", async () => {
    const first = await sendForm("one");
    expect(first.status).toBe(201);
    expect(await sendForm("one")).toEqual(first);
    const [message] = await owner.messages(session);
    expect(message.attachments).toHaveLength(1);
    const headers = { authorization: `Bearer ${world.users.owner.apiKey}` };
    expect(await (await fetch(world.baseUrl + message.attachments[0].path, { headers })).text()).toBe("one");
  });

  test("whose file has other bytes or another name is another body", async () => {
    await sendForm("one");
    expect(await sendForm("two")).toMatchObject(reused);
    expect(await sendForm("one", "b.txt")).toMatchObject(reused);
  });
});

describe("a create", () => {
  const create = (body: unknown) => owner.post(owner.sessions, body, key);

  test("that is sent many times concurrently creates one session with one turn", async () => {
    const answers = await Promise.all(Array.from({ length: 6 }, () => create({ title: "Once", content })));
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 201));
    const sessions = new Set(answers.map(({ body }) => body.data.session.id));
    expect(sessions.size).toBe(1);
    session = `${owner.sessions}/${[...sessions][0]}`;
    expect(new Set(answers.map(({ body }) => body.data.chatJobId)).size).toBe(1);
    expect(await jobCount()).toBe(1);
  });

  test("that is repeated gets the first response, whatever has happened to the session", async () => {
    const first = await create({ title: "First", content });
    session = `${owner.sessions}/${first.body.data.session.id}`;
    await owner.jobUntil(session, first.body.data.chatJobId);
    await owner.put(session, { title: "Changed", status: "archived" });
    expect(outcome(await create({ title: "First", content }))).toEqual(outcome(first));
    expect(await jobCount()).toBe(1);
  });

  test.each([
    ["Active", { content }],
    ["Backlog", { status: "backlog", prompt: "Do it." }],
  ])(
    "that is repeated after the deletion of its %s session gets the first response, and creates no second one",
    async (_, body) => {
      const title = `Gone ${randomUUID()}`;
      const first = await create({ title, ...body });
      session = `${owner.sessions}/${first.body.data.session.id}`;
      expect((await owner.delete(session)).status).toBe(204);
      expect(outcome(await create({ title, ...body }))).toEqual(outcome(first));
      expect((await owner.get(session)).status).toBe(404);
      const search = new URLSearchParams({ search: title });
      expect((await owner.get(`/api/chat-sessions?${search}`)).body.data).toEqual([]);
    },
  );

  test("with another body is refused and creates none", async () => {
    expect((await create({ title: "First" })).status).toBe(201);
    expect(await create({ title: "Second" })).toMatchObject(reused);
  });
});

describe("an activation", () => {
  test("that is repeated gets the first response, also long after the end of its turn", async () => {
    const backlog = await owner.createSession({ title: "Later", status: "backlog", prompt: content });
    const activate = () => owner.post(`${backlog.path}/activate`, undefined, key);
    const first = await activate();
    expect(first).toMatchObject({ status: 200, body: { data: { delivery: "job", session: { status: "active" } } } });
    await owner.jobUntil(backlog.path, first.body.data.chatJobId);
    await owner.put(backlog.path, { status: "under-review" });
    expect(outcome(await activate())).toEqual(outcome(first));
    expect((await owner.get(backlog.path)).body.data.session.status).toBe("under-review");
  });
});

describe("a commit", () => {
  const commit = (message: string) => owner.post(`${session}/preview/git/commit`, { message }, key);
  const edit = () =>
    owner.put(`${session}/preview/files/content`, { path: "README.md", content: randomUUID(), clientId: randomUUID() });
  const uncommitted = async () => (await owner.get(`${session}/preview/git-state`)).body.data.hasUncommittedChanges;
  beforeEach(async () => {
    await owner.run(session, { say: "Ready." });
    expect((await edit()).status).toBe(200);
  });

  test("that is sent many times concurrently is made once", async () => {
    const answers = await Promise.all(Array.from({ length: 6 }, () => commit("Once")));
    expect(answers[0]).toMatchObject({ status: 200, body: { data: { sha: expect.any(String) } } });
    expect(new Set(answers.map((answer) => JSON.stringify(outcome(answer)))).size).toBe(1);
  });

  test("that is repeated gets the first response and commits no newer changes, even while a turn runs", async () => {
    const first = await commit("First");
    await edit();
    expect(outcome(await commit("First"))).toEqual(outcome(first));
    expect(await uncommitted()).toBe(true);
    const { chatJobId } = (await owner.send(session, script({ sleep: 600_000 }))).body.data;
    expect(outcome(await commit("First"))).toEqual(outcome(first));
    await owner.post(`${session}/jobs/chat/${chatJobId}/cancel`);
  });

  test("with another message is refused and makes none", async () => {
    await commit("First");
    await edit();
    expect(await commit("Second")).toMatchObject(reused);
    expect(await uncommitted()).toBe(true);
  });

  test("that was refused may be repeated", async () => {
    const { chatJobId } = (await owner.send(session, script({ sleep: 600_000 }))).body.data;
    expect(await commit("Later")).toMatchObject({ status: 409, body: { code: "JOB_ACTIVE" } });
    await owner.post(`${session}/jobs/chat/${chatJobId}/cancel`);
    await owner.jobUntil(session, chatJobId);
    expect((await commit("Later")).status).toBe(200);
  });
});

test("a push that is repeated gets the first response, also after its session has ended", async () => {
  await owner.run(session, { bash: "echo pushed > pushed.txt" }, { say: "Ready." });
  await owner.post(`${session}/preview/git/commit`, { message: "First" });
  const push = () => owner.post(`${session}/preview/git/push`, undefined, key);
  const first = await push();
  expect(first).toMatchObject({ status: 200, body: { data: { ok: true } } });
  await owner.put(session, { status: "archived" });
  expect(outcome(await push())).toEqual(outcome(first));
  key = { "Idempotency-Key": randomUUID() };
  expect((await push()).status).toBe(400);
});

const prototypesPath = `/api/projects/${world.projectId}/prototypes`;
const webhooksPath = `/api/organizations/${world.workspaceId}/webhooks`;
const prototypeBody = { title: "Again", variants: [htmlVariant] };
const webhookBody = { url: hookUrl, events: ["job.*"] };

async function copyBody() {
  const backlog = await owner.createSession({ title: "With a copy", status: "backlog", prompt: content });
  const prototypeId = (await owner.post(prototypesPath, prototypeBody)).body.data.id;
  return { path: `${backlog.path}/artifacts`, body: { prototypeId } };
}

test.each([
  ["Prototype", async () => ({ path: prototypesPath, body: prototypeBody }), { title: "Again" }],
  ["copy of a Prototype", copyBody, { artifacts: [{ version: 1 }] }],
  ["webhook", async () => ({ path: webhooksPath, body: webhookBody }), { webhook: { url: hookUrl } }],
])("the create of a %s that is sent many times concurrently is made once", async (_, prepare, expected) => {
  const { path, body } = await prepare();
  const answers = await Promise.all(Array.from({ length: 6 }, () => owner.post(path, body, key)));
  expect(answers[0]).toMatchObject({ status: 201, body: { data: expected } });
  expect(new Set(answers.map((answer) => JSON.stringify(outcome(answer)))).size).toBe(1);
});

test.each([
  ["Prototype", prototypesPath, prototypeBody],
  ["webhook", webhooksPath, webhookBody],
])("the create of a %s that is repeated after its deletion is refused, and creates none", async (_, path, body) => {
  const create = () => owner.post(path, body, key);
  const first = await create();
  expect(first.status).toBe(201);
  expect(outcome(await create())).toEqual(outcome(first));
  const { webhook, prototype } = first.body.data;
  const made = `${path}/${(webhook ?? prototype ?? first.body.data).id}`;
  expect((await owner.delete(made)).status).toBe(204);
  expect(await create()).toMatchObject({ status: 404, body: { code: "NOT_FOUND" } });
  expect((await owner.get(made)).status).toBe(404);
});

test("the document has the header for exactly the routes that support it", async () => {
  const { paths } = withoutReferences((await owner.get("/api/openapi.json")).body);
  const { post, get } = paths["/api/projects/{projectId}/chat-sessions/{sessionId}/jobs/chat"];
  const inHeader = ({ parameters }: { parameters: { in: string; name: string }[] }) =>
    parameters.filter((parameter) => parameter.in === "header").map(({ name }) => name);
  expect(inHeader(post)).toEqual(["Idempotency-Key"]);
  expect(inHeader(get)).toEqual([]);
});
