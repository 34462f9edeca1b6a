// Places and senders of a relay: one place has one session, also for requests at the same time, and
// a sender is shown.
import { randomUUID } from "node:crypto";
import { beforeAll, expect, test } from "vitest";
import { apiWorld, openApiWorld } from "../support/api-world.ts";
import { clientWith, createClient, createdSessions, script } from "../support/client.ts";
import { until } from "../support/until.ts";

const world = apiWorld();
const owner = createClient(world);
const sessions = `/api/projects/${world.projectId}/chat-sessions`;
const sender = { name: "Ada <b>L</b>", id: "U024BE7LH" };
const done = script({ say: "Done." });

let relayKey: string;
let relay: ReturnType<typeof clientWith>;
beforeAll(async () => {
  await openApiWorld();
  const made = await owner.post(`/api/organizations/${world.workspaceId}/relay-keys`, { name: "places" });
  relayKey = made.body.data.key;
  relay = clientWith(world, relayKey);
});

const newPlace = () => ({ kind: "slack", id: `C1/2:${randomUUID()}` });
const pathOf = ({ kind, id }: { kind: string; id: string }) =>
  `/api/projects/${world.projectId}/places/${kind}/${encodeURIComponent(id)}`;

async function create(body: object, key?: string) {
  const headers: Record<string, string> = key === undefined ? {} : { "idempotency-key": key };
  const answer = await relay.post(sessions, { title: "In a place", ...body }, headers);
  const id = answer.body.data?.session?.id;
  if (id) createdSessions.set(id, world.projectId);
  return { status: answer.status, code: answer.body.code, id, jobId: answer.body.data?.chatJobId };
}

test("one place has one session, which members and relays read", async () => {
  const place = newPlace();
  expect((await relay.get(pathOf(place))).status).toBe(404);
  const first = await create({ place, content: done });
  expect([first.status, typeof first.jobId]).toEqual([201, "string"]);
  const again = await create({ place, content: done });
  expect(again).toEqual({ status: 200, code: undefined, id: first.id, jobId: undefined });
  for (const by of [relay, createClient(world, "member")])
    expect((await by.get(pathOf(place))).body.data.session).toMatchObject({ id: first.id, title: "In a place" });
  expect((await relay.get(`${sessions}/${first.id}/jobs/chat`)).body.data).toHaveLength(1);
});

test.each([
  ["with a message", { content: done }],
  ["without one", {}],
])("requests at the same time, %s, meet one new session", async (_, body) => {
  const place = newPlace();
  const answers = await Promise.all(Array.from({ length: 6 }, () => create({ place, ...body })));
  expect(new Set(answers.map(({ id }) => id)).size).toBe(1);
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 200, 200, 200, 201]);
});

test("an ended session leaves its place, and a repeat still gets its first answer", async () => {
  const place = newPlace();
  const key = randomUUID();
  const first = await create({ place, content: done }, key);
  expect(await create({ place, content: done }, key)).toEqual(first);
  const path = `${sessions}/${first.id}`;
  await until(
    "the turn's end",
    async () => (await owner.get(path)).body.data.session.latestChatJob.status === "completed" || null,
  );
  expect((await owner.put(path, { status: "archived" })).status).toBe(200);
  expect((await relay.get(pathOf(place))).body.data.session).toMatchObject({ id: first.id, status: "archived" });
  const next = await create({ place });
  expect([next.status, next.id === first.id]).toEqual([201, false]);
  expect(await create({ place, content: done }, key)).toEqual(first);
  expect(await create({ place, content: done }, randomUUID())).toMatchObject({ status: 200, id: next.id });
  await owner.delete(`${sessions}/${next.id}`);
  expect((await relay.get(pathOf(place))).status).toBe(404);
});

test.each<[what: string, place: object]>([
  ["a trigger's kind", { kind: "issue", id: "12" }],
  ["a kind of other letters", { kind: "Slack thread", id: "12" }],
  ["an empty id", { kind: "slack", id: "" }],
  ["an id of 201 characters", { kind: "slack", id: "x".repeat(201) }],
])("%s is refused", async (_, place) => {
  expect(await create({ place })).toMatchObject({ status: 400, code: "VALIDATION_ERROR" });
});

test("the sender is the author's, and not of the list of sessions", async () => {
  const { id } = await create({ sender, content: done });
  const path = `${sessions}/${id}`;
  expect((await relay.get(path)).body.data.session.filedBy).toEqual({ kind: "relay" });
  const other = { name: "Grace", id: "U2" };
  expect((await relay.post(`${path}/jobs/chat`, { content: done, sender: other })).status).toBe(201);
  const form = new FormData();
  form.set("content", done);
  form.set("sender", JSON.stringify(other));
  const headers = { authorization: `Bearer ${relayKey}` };
  const sent = await fetch(`${world.baseUrl}${path}/jobs/chat`, { method: "POST", headers, body: form });
  expect(sent.status).toBe(201);
  const written = await until("three messages", async () => {
    const users = (await relay.messages(path)).filter(({ role }: { role: string }) => role === "user");
    return users.length === 3 ? users : null;
  });
  expect(written.map(({ author }: { author: unknown }) => author)).toEqual([
    { kind: "relay", sender },
    { kind: "relay", sender: other },
    { kind: "relay", sender: other },
  ]);
});

test("a person names neither a place nor a sender", async () => {
  const { path } = await owner.createSession({ title: "Of a person" });
  for (const [to, body] of [
    [sessions, { title: "x", place: newPlace() }],
    [sessions, { title: "x", sender }],
    [`${path}/jobs/chat`, { content: "Hello.", sender }],
  ] as const)
    expect([to, (await owner.post(to, body)).body.code]).toEqual([to, "FORBIDDEN"]);
});

test("a relay lists the projects of its workspace only, and the models", async () => {
  const { status, body } = await relay.get("/api/projects");
  expect([status, new Set(body.data.map(({ orgId }: { orgId: string }) => orgId))]).toEqual([
    200,
    new Set([world.workspaceId]),
  ]);
  expect((await relay.get("/api/models")).body.data.length).toBeGreaterThan(0);
});

test("a place gets no files with its session, as another request may start it", async () => {
  const place = newPlace();
  const form = new FormData();
  form.set("session", JSON.stringify({ place, content: done }));
  form.set("attachment_0", new File(["one"], "one.txt"));
  const init = { method: "POST", headers: { authorization: `Bearer ${relayKey}` }, body: form };
  const refused = await fetch(world.baseUrl + sessions, init);
  expect([refused.status, await refused.json()]).toEqual([
    400,
    expect.objectContaining({ error: expect.stringContaining("place takes no files") }),
  ]);
  expect((await relay.get(pathOf(place))).status).toBe(404);
});
