// The example that gives a chat to visitors, against a running service.
import { type Session, Switchyard } from "@switchyard/client";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { apiWorld, openApiWorld } from "../support/api-world.ts";
import { createdSessions, script } from "../support/client.ts";
import { openStream, type Stream } from "../support/event-stream.ts";
import { closedGate } from "../support/gate.ts";
import { limit, type RunningWorker, startWorker } from "./support/worker-example.ts";

let sy: Switchyard;
let worker: RunningWorker;
let relayKey: string;
const streams: Stream[] = [];
/** All that the Worker has answered. */
const answered: string[] = [];

async function startChat(apiKey: string): Promise<RunningWorker> {
  const { baseUrl, projectId } = apiWorld();
  const settings = { SWITCHYARD_URL: baseUrl, SWITCHYARD_API_KEY: apiKey, SWITCHYARD_PROJECT_ID: projectId };
  return await startWorker("edge-chat/worker.mjs", settings);
}

beforeAll(async () => {
  await openApiWorld();
  const { baseUrl, users, workspaceId } = apiWorld();
  sy = new Switchyard({ baseUrl, apiKey: users.owner.apiKey });
  const relayKeys = "POST /api/organizations/{workspaceId}/relay-keys";
  ({ key: relayKey } = await sy.request(relayKeys, { path: { workspaceId }, body: { name: "Visitors" } }));
  worker = await startChat(relayKey);
});

afterEach(() => {
  for (const { events, headers, leave } of streams.splice(0)) {
    leave();
    answered.push(JSON.stringify([headers, events]));
  }
  expect(answered.join("\n")).not.toContain(relayKey);
});

afterAll(() => worker.stop());

interface Visitor {
  cookie: string;
  session: Session;
}

async function post(text: unknown, { cookie = "", key = "", address = "192.0.2.1", to = worker } = {}) {
  const response = await fetch(`${to.url}/chat`, {
    method: "POST",
    headers: { cookie, "cf-connecting-ip": address, ...(key === "" ? {} : { "idempotency-key": key }) },
    body: JSON.stringify({ text }),
  });
  const body = await response.text();
  const set = response.headers.get("set-cookie") ?? "";
  answered.push(body, JSON.stringify([...response.headers]));
  return { status: response.status, body, set, cookie: set.split(";", 1)[0] ?? "" };
}

async function arrive(text: string): Promise<Visitor> {
  const { status, cookie, set } = await post(text);
  expect(status).toBe(204);
  expect(set).toMatch(/; HttpOnly; Secure; SameSite=Strict$/);
  const [, id = ""] = /^chat=([^.]+)\./.exec(cookie) ?? [];
  createdSessions.set(id, apiWorld().projectId);
  return { cookie, session: await sy.sessions.get(id) };
}

async function listen({ cookie }: { cookie: string }, lastEventId?: string): Promise<Stream> {
  const stream = await openStream(worker.url, "/chat", { cookie }, lastEventId);
  streams.push(stream);
  return stream;
}

/** What the agent has said, as a page puts it together. */
function readSaid({ events }: Stream): string[] {
  const said = new Map<string, string>();
  for (const { event, data } of events) {
    const { messageId, index, role, text, delta } = JSON.parse(data);
    const key = `${messageId} ${index}`;
    if (event === "block" && role === "assistant") said.set(key, text);
    if (event === "delta") said.set(key, (said.get(key) ?? "") + delta);
  }
  return [...said.values()];
}

test("two visitors have a session each, and neither sees the other's", async () => {
  const [mia, otto] = [await arrive(script({ say: "For Mia." })), await arrive(script({ say: "For Otto." }))];
  expect(mia.session.id).not.toBe(otto.session.id);
  const [ofMia, ofOtto] = [await listen(mia), await listen(otto)];
  for (const stream of [ofMia, ofOtto]) await stream.received("end");
  expect([readSaid(ofMia), readSaid(ofOtto)]).toEqual([["For Mia."], ["For Otto."]]);
  expect(JSON.stringify(ofMia.events)).not.toContain("Otto");
  expect(JSON.stringify(ofOtto.events)).not.toContain("Mia");

  // The second message goes to the visitor's own session, and a repeat of it goes nowhere.
  const again = { cookie: mia.cookie, key: "one" };
  expect((await post("And now?", again)).cookie).toBe(mia.cookie);
  expect((await post("And now?", again)).status).toBe(204);
  await mia.session.wait();
  const { messages } = await mia.session.messages();
  expect(messages.filter(({ role }) => role === "user").length).toBe(2);

  // The id of another's session is no way into it; nor into one of the team.
  const secret = mia.cookie.split(".")[1];
  const team = await sy.sessions.create({ project: apiWorld().projectId });
  createdSessions.set(team.id, team.projectId);
  for (const { id } of [otto.session, team]) {
    const cookie = `chat=${id}.${secret}`;
    expect((await listen({ cookie })).status).toBe(204);
    expect((await post(script({ say: "Mine." }), { cookie })).cookie.split(".")[0]).not.toBe(`chat=${id}`);
  }
  expect((await listen({ cookie: "" })).status).toBe(204);
});

test("a line that is cut continues after its last event, and shows words only", async () => {
  const gate = await closedGate();
  const visitor = await arrive(
    script({ say: "Before." }, { bash: `${gate.command}; echo hidden-$((6 * 7))` }, { say: "After." }),
  );
  const stream = await listen(visitor);
  await expect.poll(() => readSaid(stream)).toEqual(["Before."]);
  const ids = stream.events.map(({ id }) => id);
  await stream.reconnect();
  gate.open();
  await stream.received("end");
  expect(stream.events.slice(0, ids.length).map(({ id }) => id)).toEqual(ids);
  const later = stream.events.slice(ids.length);
  expect(later.every(({ id }) => !ids.includes(id))).toBe(true);
  expect(readSaid(stream)).toEqual(["Before.", "After."]);
  // The command and what it printed are for the team.
  expect(new Set(stream.events.map(({ event }) => event))).toEqual(new Set(["block", "delta", "end"]));
  expect(JSON.stringify(await visitor.session.messages())).toContain("hidden-42");
  expect(JSON.stringify(stream.events)).not.toContain("hidden-42");
});

test("what is wrong is refused in the Worker's own words", async () => {
  for (const text of ["", "  ", 7, "x".repeat(4_001)]) expect((await post(text)).status).toBe(400);
  expect((await fetch(`${worker.url}/elsewhere`)).status).toBe(404);
  for (let sent = 0; sent < limit; sent += 1) expect((await post("", { address: "192.0.2.2" })).status).toBe(400);
  expect((await post("Hello", { address: "192.0.2.2" })).status).toBe(429);
  // A key that the service refuses is logged, and is no matter of the visitor's.
  const broken = await startChat("svc_rly_wrong");
  const { status, body } = await post("Hello", { to: broken });
  expect([status, JSON.parse(body)]).toEqual([503, { error: "The chat does not answer. Try again in a minute." }]);
  await broken.stop();
});

test("after the end of a session, the visitor's next message begins another one", async () => {
  const visitor = await arrive(script({ say: "Hello." }));
  await visitor.session.wait();
  await visitor.session.update({ status: "archived" });
  const { status, cookie } = await post(script({ say: "Hello again." }), visitor);
  expect(status).toBe(204);
  expect(cookie).not.toBe(visitor.cookie);
  const stream = await listen({ cookie });
  await stream.received("end");
  expect(readSaid(stream)).toEqual(["Hello again."]);
});
