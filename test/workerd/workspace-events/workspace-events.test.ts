// The live stream of a workspace: each listener gets everything once, wherever it was disconnected,
// and ends with the current list.
import { evictDurableObject, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import { getWorkspaceEventsObject } from "../../../durable-objects/address.ts";
import type { FeedEvent } from "../../../src/activity/queries.ts";
import { createEventStream } from "../../../src/http/event-stream.ts";
import { revokeKey } from "../../../src/key/create-and-revoke.ts";
import type { WorkspaceEvent } from "../../../src/workspace/event-wire.ts";
import { removeFromWorkspace, updateRole } from "../../../src/workspace/members.ts";
import { issueApiKey } from "../support/issued-keys.ts";
import { addWorkspaceWith } from "../support/people.ts";
import { beginSession, by } from "../support/session-driver.ts";

interface Told {
  id: string;
  event: string;
  data: Record<string, Record<string, unknown>>;
}

/** Listens as a client does, and records the events. */
async function listen(
  workspaceId: string,
  lastEventId: string | null = null,
  userId = "usr_1",
  keyId = "key_1",
  personId: string | null = userId,
) {
  const headers = { upgrade: "websocket", "x-listener": JSON.stringify({ userId, personId, keyId, lastEventId }) };
  const { webSocket } = await getWorkspaceEventsObject(env, workspaceId).fetch("http://workspace/events", { headers });
  if (!webSocket) throw new Error("no socket");
  const told: Told[] = [];
  const reader = createEventStream(webSocket, { isStillAuthorized: async () => true }).getReader();
  const reading = (async () => {
    let text = "";
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      text += new TextDecoder().decode(part.value);
      const whole = text.split("\n\n");
      text = whole.pop() ?? "";
      for (const one of whole) {
        const [, id = "", event = "", data = ""] = /^id: (.*)\nevent: (.*)\ndata: (.*)$/.exec(one) ?? [];
        if (id !== "") told.push({ id, event, data: JSON.parse(data) });
      }
    }
  })();
  const cut = async () => {
    await reader.cancel();
    await reading;
  };
  return { told, cut, ended: reading, names: () => told.map(({ event }) => event) };
}

/** Listens as the service does, and asks for each batch only when the test says so. */
async function listenByHand(workspaceId: string, lastEventId: string) {
  const reader = { userId: "usr_1", personId: "usr_1", keyId: "key_1", lastEventId };
  const headers = { upgrade: "websocket", "x-listener": JSON.stringify(reader) };
  const { webSocket } = await getWorkspaceEventsObject(env, workspaceId).fetch("http://workspace/events", { headers });
  if (!webSocket) throw new Error("no socket");
  webSocket.accept();
  const texts: string[] = [];
  webSocket.addEventListener("message", ({ data }) => texts.push(String(data)));
  const ask = async () => {
    const received = texts.length;
    webSocket.send("more");
    await expect.poll(() => texts.length).toBeGreaterThan(received);
  };
  return { texts, ask, leave: () => webSocket.close() };
}

const activity = (id: string, actorId: string | null = null): WorkspaceEvent => ({
  type: "activity",
  event: {
    ...{ id, seq: 1, workspaceId: "w", workspaceName: "W", projectId: null, projectName: null, sessionId: null },
    ...{ isSessionThere: false, kind: "branch_behind", actorId, actorName: null, actorImageUrl: null, source: null },
    ...{ subject: null, payload: {}, createdAt: 0, seenSeq: 0 },
  } satisfies FeedEvent,
});
const tell = (workspaceId: string, ...events: WorkspaceEvent[]) =>
  getWorkspaceEventsObject(env, workspaceId).publish(events);
const ids = (told: Told[]) => told.flatMap(({ data }) => (data.event ? [data.event.id] : []));

test("a new listener is asked to read, and then gets what happens, though the object was evicted in between", async () => {
  const workspaceId = crypto.randomUUID();
  await tell(workspaceId, activity("before"));
  const listener = await listen(workspaceId);
  await expect.poll(listener.names).toEqual(["reset"]);
  await tell(workspaceId, activity("a"));
  await expect.poll(() => ids(listener.told)).toEqual(["a"]);
  await evictDurableObject(getWorkspaceEventsObject(env, workspaceId), { webSockets: "hibernate" });
  await tell(workspaceId, activity("b"), activity("a"));
  await expect.poll(() => ids(listener.told)).toEqual(["a", "b"]);
  await listener.cut();
});

test("a listener's own actions are not New to them, and New to others", async () => {
  const workspaceId = crypto.randomUUID();
  const [ada, bob] = [await listen(workspaceId, null, "ada"), await listen(workspaceId, null, "bob")];
  await expect.poll(() => [ada.told.length, bob.told.length]).toEqual([1, 1]);
  await tell(workspaceId, activity("a", "ada"));
  await expect
    .poll(() => [...ada.told, ...bob.told].flatMap(({ data }) => data.event ?? []))
    .toMatchObject([
      { id: "a", isNew: false },
      { id: "a", isNew: true },
    ]);
  await Promise.all([ada.cut(), bob.cut()]);
});

test("only the person who has seen something receives that, also after a return", async () => {
  const workspaceId = crypto.randomUUID();
  const seen: WorkspaceEvent = { type: "seen", userId: "ada", projectId: "p", sessionId: "s", since: 0 };
  const listeners = [
    await listen(workspaceId, null, "ada"),
    await listen(workspaceId, null, "bob"),
    await listen(workspaceId, null, "ada", "key_of_agent", null),
  ];
  await expect.poll(() => listeners.map(({ told }) => told.length)).toEqual([1, 1, 1]);
  await tell(workspaceId, seen);
  await tell(workspaceId, seen, activity("a"));
  const last = listeners[0]?.told[0]?.id ?? null;
  const returned = [
    await listen(workspaceId, last, "ada"),
    await listen(workspaceId, last, "bob"),
    await listen(workspaceId, last, "ada", "key_of_agent", null),
  ];
  await expect
    .poll(() => [...listeners, ...returned].map(({ names }) => names().filter((name) => name !== "reset")))
    .toEqual([
      ["seen", "seen", "activity"],
      ["activity"],
      ["activity"],
      ["seen", "activity"],
      ["activity"],
      ["activity"],
    ]);
  expect(listeners[0]?.told[1]?.data).toEqual({ projectId: "p", sessionId: "s", since: "1970-01-01T00:00:00.000Z" });
  await Promise.all([...listeners, ...returned].map(({ cut }) => cut()));
});

test("a listener who returns continues where they were, and one who was away too long has to read again", async () => {
  const workspaceId = crypto.randomUUID();
  const first = await listen(workspaceId);
  await expect.poll(first.names).toEqual(["reset"]);
  const [reset] = first.told;
  await first.cut();
  const many = Array.from({ length: 250 }, (_, place) => activity(`a${place}`));
  await tell(workspaceId, ...many);
  const second = await listen(workspaceId, reset?.id);
  await expect.poll(() => ids(second.told)).toEqual(many.map((told) => told.type === "activity" && told.event.id));
  await second.cut();
  for (let round = 0; round < 9; round++)
    await tell(workspaceId, ...Array.from({ length: 250 }, (_, place) => activity(`b${round} ${place}`)));
  for (const lastEventId of [reset?.id ?? "", "999999", "nonsense"]) {
    const late = await listen(workspaceId, lastEventId);
    await expect.poll(late.names).toEqual(["reset"]);
    await late.cut();
  }
});

test("a listener that is slower than the log has to read again, and then gets what happens", async () => {
  const workspaceId = crypto.randomUUID();
  const many = (round: number) => Array.from({ length: 250 }, (_, place) => activity(`${round} ${place}`));
  await tell(workspaceId, ...many(0));
  const { ask, texts, leave } = await listenByHand(workspaceId, "0");
  await ask();
  for (let round = 1; round < 10; round++) await tell(workspaceId, ...many(round));
  await ask();
  expect(texts.map((text) => text.split("\n\n").length - 1)).toEqual([100, 1]);
  expect(texts[1]).toContain("event: reset\n");
  await ask();
  expect(texts[2]).toBe("live");
  await tell(workspaceId, activity("after"));
  await expect.poll(() => texts[3]).toContain("after");
  leave();
});

test("a batch of events ends at 1 MiB or at its number", async () => {
  const workspaceId = crypto.randomUUID();
  const object = getWorkspaceEventsObject(env, workspaceId);
  const named = (at: number, bytes: number) => activity(`${at} ${"x".repeat(bytes)}`);
  const many = Array.from({ length: 150 }, (_, at) => named(at, at < 50 ? 30_000 : 10));
  await tell(workspaceId, ...many, named(150, 2 ** 21));
  const headers = {
    upgrade: "websocket",
    "x-listener": JSON.stringify({ userId: "usr_1", personId: "usr_1", keyId: "key_1", lastEventId: "0" }),
  };
  const { webSocket } = await object.fetch("http://workspace/events", { headers });
  if (!webSocket) throw new Error("no socket");
  webSocket.accept();
  const batches: { bytes: number; events: number }[] = [];
  const isLive = new Promise<void>((resolve) => {
    webSocket.addEventListener("message", ({ data }) => {
      const text = String(data);
      if (text === "live") return resolve();
      batches.push({ bytes: new TextEncoder().encode(text).length, events: text.split("\n\n").length - 1 });
      webSocket.send("more");
    });
  });
  webSocket.send("more");
  await isLive;
  expect(batches.reduce((sum, { events }) => sum + events, 0)).toBe(151);
  // One event that is longer by itself is in a batch of its own.
  expect(batches.at(-1)).toEqual({ bytes: expect.any(Number), events: 1 });
  expect(batches.slice(0, -1).filter(({ bytes, events }) => bytes > 2 ** 20 || events > 100)).toEqual([]);
  webSocket.close();
});

test("a client that shows a list by the stream ends with the current list, also after many disconnects", async () => {
  const { workspaceId } = await addWorkspaceWith({ owner: "owner" });
  const list = new Map<unknown, unknown>();
  const seen: unknown[] = [];
  let last: string | null = null;
  const note = ({ id, event, data }: Told) => {
    last = id;
    if (event === "session") list.set(data.session?.id, data.session?.priority);
    if (event === "deleted") list.delete(data.sessionId);
    seen.push(...ids([{ id, event, data }]));
  };
  const attend = async () => {
    const listener = await listen(workspaceId, last);
    await expect.poll(() => listener.told.length).toBeGreaterThan(0);
    await listener.cut();
    listener.told.forEach(note);
  };
  await attend();
  const drivers = await Promise.all([1, 2, 3].map(() => beginSession(null, { workspaceId })));
  const models = { runnable: new Set(["anthropic"] as const) };
  for (const priority of ["high", "low", "urgent", "medium"] as const) {
    for (const driver of drivers) await driver.session().update({ priority }, by, models);
    await attend();
  }
  await drivers[0]?.session().delete(by);
  await Promise.all(drivers.slice(1).map((driver) => driver.settled()));
  const events = "SELECT id FROM activity WHERE workspace_id = ?1";
  const recorded = async () => (await env.DB.prepare(events).bind(workspaceId).all()).results.map(({ id }) => id);
  await expect.poll(async () => (await recorded()).length).toBe(16);
  const listener = await listen(workspaceId, last);
  const noted = () => {
    listener.told.splice(0).forEach(note);
    return { sessions: [...list].sort(), events: seen.length };
  };
  const left = drivers.slice(1).map(({ id }) => [id, "medium"]);
  await expect.poll(noted).toEqual({ sessions: left.sort(), events: 16 });
  expect(seen.sort()).toEqual((await recorded()).sort());
  await listener.cut();
});

test("a change of members is sent", async () => {
  const { workspaceId, users } = await addWorkspaceWith({ owner: "owner", member: "member" });
  const listener = await listen(workspaceId);
  await expect.poll(listener.names).toEqual(["reset"]);
  const user = { id: users.owner, name: "O", email: "o@example.com", imageUrl: null };
  const command = { workspaceId, userId: users.member, by: { type: "member", user, role: "owner" } as const };
  await updateRole(env, command, "admin", Date.now());
  await expect.poll(() => listener.names().toSorted()).toEqual(["activity", "members", "reset"]);
  const texts = listener.told.map(({ data }) => data.event?.text ?? "").filter(Boolean);
  expect(texts).toEqual(["owner made member an admin"]);
  await listener.cut();
});

test("a thousand listeners get an event immediately, and none of them queries the database", async () => {
  const workspaceId = crypto.randomUUID();
  const refuse = () => {
    throw new Error("the database was asked");
  };
  const object = getWorkspaceEventsObject(env, workspaceId);
  await runInDurableObject(object, (instance) => {
    Object.defineProperty(instance, "env", { value: { ...env, DB: { prepare: refuse, batch: refuse } } });
  });
  const listeners = await Promise.all(Array.from({ length: 1_000 }, (_, n) => listen(workspaceId, null, `usr_${n}`)));
  await expect.poll(() => listeners.filter(({ told }) => told.length === 1).length).toBe(1_000);
  await tell(workspaceId, activity("a"), activity("b"));
  const hasHeard = ({ told }: { told: Told[] }) => ids(told).join() === "a,b";
  await expect.poll(() => listeners.filter(hasHeard).length).toBe(1_000);
  await Promise.all(listeners.map(({ cut }) => cut()));
});

test("a listener who is removed, or whose key is revoked, gets nothing more, and others continue", async () => {
  const { workspaceId, users } = await addWorkspaceWith({ owner: "owner", member: "member" });
  const { row: key } = await issueApiKey(env.DB, { userId: users.owner, name: "Laptop", expiresAt: null }, 0);
  const kept = await listen(workspaceId, null, users.owner);
  const revoked = await listen(workspaceId, null, users.owner, key.id);
  const removed = await listen(workspaceId, null, users.member);
  expect(await revokeKey(env, { kind: "api-key", userId: users.owner, keyId: key.id })).toBe(true);
  await revoked.ended;
  const user = { id: users.owner, name: "O", email: "o@example.com", imageUrl: null };
  const command = { workspaceId, userId: users.member, by: { type: "member", user, role: "owner" } as const };
  expect(await removeFromWorkspace(env, command, Date.now())).toBeNull();
  await removed.ended;
  await expect.poll(() => kept.names().toSorted()).toEqual(["activity", "members", "reset"]);
  await getWorkspaceEventsObject(env, workspaceId).end("all");
  await kept.ended;
});
