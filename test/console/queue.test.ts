// Up next as it is shown: reads, and the events after them.
import type { Schemas } from "@switchyard/client";
import { expect, test } from "vitest";
import {
  applyQueueEvent,
  describeEditor,
  describePause,
  findPlace,
  moveMessage,
  nameAuthor,
  needsRead,
  sumBetween,
  withContent,
  withoutMessage,
} from "../../console/src/up-next/queue.ts";

const message = (id: string, version = 1) => ({ id, version, content: `text of ${id}` }) as Schemas["QueuedMessage"];
const queue = (...ids: string[]): Schemas["Queue"] => ({ messages: ids.map((id) => message(id)), paused: null });
const event = (...versions: [id: string, version: number][]): Schemas["QueueEvent"] => ({
  count: versions.length,
  paused: null,
  messages: versions.map(([id, version], position) => ({ id, version, position, editingBy: null })),
});
const ids = ({ messages }: Schemas["Queue"]) => messages.map(({ id }) => id).join("");

test.each<[string, Schemas["Queue"] | undefined, Schemas["QueueEvent"], boolean]>([
  ["nothing was read", undefined, event(), true],
  ["all is known", queue("a", "b"), event(["a", 1]), false],
  ["a message is new", queue("a"), event(["a", 1], ["b", 1]), true],
  ["a text is new", queue("a"), event(["a", 2]), true],
  ["an older event arrives late", { messages: [message("a", 3)], paused: null }, event(["a", 2]), false],
])("reads again where %s: %4$s", (_, known, change, isNeeded) => {
  expect(needsRead(known, change)).toBe(isNeeded);
});

test("a steer is read once an event names it, and leaves with the event after the turn took it", () => {
  const steer = (steerId: string) => ({ steerId, content: steerId, author: { kind: "service" as const } });
  const named = { ...event(), steers: ["s", "t"] };
  expect(needsRead({ ...queue(), steers: [steer("s")] }, named)).toBe(true);
  const read = { ...queue(), steers: [steer("s"), steer("t")] };
  expect(needsRead(read, named)).toBe(false);
  expect(applyQueueEvent(read, { ...event(), steers: ["t"] }).steers).toEqual([steer("t")]);
  expect(applyQueueEvent(read, event()).steers).toBeUndefined();
});

test("an event gives the order, what has left, and the pause", () => {
  const paused = { reason: "failed" as const, pausedAt: "2026-01-01T00:00:00Z" };
  const changed = applyQueueEvent(queue("a", "b", "c"), { ...event(["c", 1], ["a", 1]), paused });
  expect([ids(changed), changed.paused]).toEqual(["ca", paused]);
});

test.each<[id: string, to: number, order: string]>([
  ["a", 1, "bac"],
  ["c", 0, "cab"],
  ["a", 9, "bca"],
  ["x", 0, "abc"],
])("moves %s to %i: %s", (id, to, order) => {
  expect(ids(moveMessage(queue("a", "b", "c"), id, to))).toBe(order);
});

const rows = [
  { top: 100, height: 40 },
  { top: 140, height: 60 },
  { top: 200, height: 40 },
];

test.each<[from: number, by: number, to: number, offset: number]>([
  [0, 0, 0, 0],
  [0, 29, 0, 29],
  [0, 31, 1, 31],
  [0, 90, 2, 90],
  [0, 900, 2, 100],
  [0, -50, 0, 0],
  [2, -31, 1, -31],
  [2, -900, 0, -100],
  [1, 21, 2, 21],
  [1, -21, 0, -21],
])("a row %i that is dragged by %i pixels goes to %i, drawn at %i", (from, by, to, offset) => {
  expect(findPlace(rows, from, by)).toEqual({ to, offset });
});

test.each<[from: number, to: number, pixels: number]>([
  [0, 2, 100],
  [2, 0, -100],
  [1, 0, -40],
  [1, 1, 0],
])("from %i to %i a row moves %i pixels", (from, to, pixels) => {
  expect(sumBetween(rows, from, to) + 0).toBe(pixels);
});

test("a message is edited and deleted before the service says so", () => {
  expect(ids(withoutMessage(queue("a", "b"), "a"))).toBe("b");
  expect(withContent(queue("a", "b"), "b", "new").messages.map(({ content }) => content)).toEqual(["text of a", "new"]);
});

test("pauses and authors in words", () => {
  const pausedAt = "2026-01-01T00:00:00Z";
  expect(describePause({ reason: "cancelled", pausedAt })).toContain("stopped");
  const mia = { userId: "u", name: "Mia", email: "", imageUrl: null };
  const authors: Schemas["Author"][] = [mia, { kind: "service" }, { kind: "relay" }];
  expect(authors.map((author) => nameAuthor(author, "u"))).toEqual(["you", "Switchyard", "a chat tool"]);
  expect(nameAuthor(mia, "other")).toBe("Mia");
  const sender = { name: "Ada", id: "U1" };
  expect(nameAuthor({ kind: "relay", sender }, "u")).toBe("Ada, by a chat tool");
});

test("an event says who edits a message, and others read the name until its time is over", () => {
  const expiresAt = "2026-01-01T00:02:00Z";
  const now = Date.parse("2026-01-01T00:00:00Z");
  const author = { kind: "member", userId: "usr_ada", name: "Ada", email: "", imageUrl: null } as const;
  const edited = event(["a", 1]);
  const known = { messages: [{ ...message("a"), author, editingBy: null }], paused: null };
  const editingBy = { userId: "usr_ada", expiresAt };
  const [shown] = applyQueueEvent(known, {
    ...edited,
    messages: edited.messages.map((one) => ({ ...one, editingBy })),
  }).messages;
  if (!shown) throw new Error("The message has gone.");
  expect([
    describeEditor(shown, "usr_grace", now),
    describeEditor(shown, "usr_ada", now),
    describeEditor(shown, null, Date.parse(expiresAt)),
    describeEditor({ ...shown, author: { kind: "relay" } }, null, now),
    describeEditor({ ...shown, editingBy: null }, null, now),
  ]).toEqual(["is editing", null, null, "Somebody is editing", null]);
});
