// One stream over several workspaces: nothing is lost or repeated, wherever the reader is cut off.
import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import { getWorkspaceEventsObject } from "../../../durable-objects/address.ts";
import { createEventStream } from "../../../src/http/event-stream.ts";
import { createJoinedStream } from "../../../src/workspace/create-joined-stream.ts";
import { parsePosition } from "../../../src/workspace/rules/stream-position.ts";

const tell = (workspaceId: string, ...names: string[]) =>
  getWorkspaceEventsObject(env, workspaceId).publish(
    names.map((projectId) => ({ type: "project-deleted" as const, projectId })),
  );

async function listen(ids: string[], lastEventId: string | null = null) {
  const positions = parsePosition(ids, lastEventId);
  const streams = [];
  for (const [at, workspaceId] of ids.entries()) {
    const position = positions[at] ?? null;
    const listener = { userId: "ada", personId: "ada", keyId: "key", lastEventId: position?.toString() ?? null };
    const headers = { upgrade: "websocket", "x-listener": JSON.stringify(listener) };
    const { webSocket } = await getWorkspaceEventsObject(env, workspaceId).fetch("http://w/events", { headers });
    if (!webSocket) throw new Error("no socket");
    streams.push({ workspaceId, socket: webSocket, position });
  }
  const told: { id: string; name: string }[] = [];
  const reader = createEventStream(createJoinedStream(streams), { isStillAuthorized: async () => true }).getReader();
  const ended = (async () => {
    let text = "";
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      text += new TextDecoder().decode(part.value);
      const whole = text.split("\n\n");
      text = whole.pop() ?? "";
      for (const one of whole) {
        const [, id = "", event = "", data = "{}"] = /^id: (.*)\nevent: (.*)\ndata: (.*)$/.exec(one) ?? [];
        if (id !== "") told.push({ id, name: JSON.parse(data).projectId ?? event });
      }
    }
  })();
  return {
    names: () => told.map(({ name }) => name),
    lastId: () => told.at(-1)?.id ?? null,
    ended,
    cut: async () => {
      await reader.cancel();
      await ended;
    },
  };
}

const create = () => [crypto.randomUUID(), crypto.randomUUID(), crypto.randomUUID()].sort() as [string, string, string];

test("the stream begins with one reset, and continues in every workspace where its reader was", async () => {
  const ids = create();
  const [a, b, c] = ids;
  await tell(a, "before");
  const first = await listen(ids);
  await expect.poll(first.names).toEqual(["reset"]);
  await tell(b, "b1");
  await tell(a, "a1");
  await expect.poll(() => first.names().toSorted()).toEqual(["a1", "b1", "reset"]);
  await first.cut();
  await tell(c, "c1");
  await tell(a, "a2");
  const second = await listen(ids, first.lastId());
  await expect.poll(() => second.names().toSorted()).toEqual(["a2", "c1"]);
  await tell(b, "b2");
  await expect.poll(() => second.names().at(-1)).toBe("b2");
  await second.cut();
  const third = await listen(ids, second.lastId());
  await tell(c, "c2");
  await expect.poll(third.names).toEqual(["c2"]);
  await third.cut();
});

test("a reader who was away too long in one workspace reads again, and misses nothing in the others", async () => {
  const ids = create();
  const [a, b] = ids;
  const first = await listen(ids);
  await expect.poll(first.names).toEqual(["reset"]);
  await first.cut();
  for (let round = 0; round < 9; round++) await tell(a, ...Array.from({ length: 250 }, (_, at) => `a${round} ${at}`));
  await tell(b, "b1");
  const second = await listen(ids, first.lastId());
  await expect.poll(() => second.names().toSorted()).toEqual(["b1", "reset"]);
  await second.cut();
});

test("a reader of other workspaces than before reads again", async () => {
  const [a, b, c] = create();
  const first = await listen([a, b]);
  await expect.poll(first.names).toEqual(["reset"]);
  await first.cut();
  const second = await listen([a, c], first.lastId());
  await expect.poll(second.names).toEqual(["reset"]);
  await second.cut();
  const nobody = await listen([]);
  await expect.poll(nobody.names).toEqual(["reset"]);
  await nobody.cut();
});

test("thousands of events of many workspaces arrive once and in the order of each workspace", async () => {
  const ids = create();
  const first = await listen(ids);
  await expect.poll(first.names).toEqual(["reset"]);
  await first.cut();
  const all = ids.map((_, place) => Array.from({ length: 700 }, (_, at) => `${place} ${at}`));
  for (const [place, id] of ids.entries()) await tell(id, ...(all[place] ?? []));
  const second = await listen(ids, first.lastId());
  await expect.poll(() => second.names().length).toBe(2_100);
  for (const [place, names] of all.entries())
    expect(second.names().filter((name) => name.startsWith(`${place} `))).toEqual(names);
  await second.cut();
});

test("the stream ends when its reader loses one workspace", async () => {
  const ids = create();
  const listener = await listen(ids);
  await expect.poll(listener.names).toEqual(["reset"]);
  await getWorkspaceEventsObject(env, ids[1]).end({ userId: "ada" });
  await listener.ended;
});
