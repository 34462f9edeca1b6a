// The state of a conversation: what each event changes, and what makes a state stale.
import { expect, test } from "vitest";
import type { Schemas } from "../../packages/client/src/generated/api.ts";
import { formatText, reduce, type SessionState, type StateEvent, stateOf } from "../../packages/client/src/state.ts";

const job = (jobNumber: number, status: Schemas["JobStatus"] = "running"): Schemas["Job"] => ({
  id: `job-${jobNumber}`,
  status,
  jobNumber,
  error: null,
  errorCode: null,
  usage: null,
  result: null,
  boot: null,
  createdAt: "2026-11-25T10:00:00.000Z",
  startedAt: null,
  completedAt: null,
});
const user = {
  id: "u1",
  role: "user",
  content: "Go.",
  blocks: [],
  jobId: "job-1",
  delivery: "job",
  author: null,
} as const;
const shared = { attachments: [], createdAt: "2026-11-25T10:00:00.000Z" };
const read: Schemas["Message"][] = [
  { ...user, ...shared, blocks: [] },
  {
    ...shared,
    id: "a1",
    role: "assistant",
    content: null,
    blocks: [{ type: "text", content: "One" }],
    jobId: "job-1",
    delivery: null,
    author: null,
  },
];
const known = stateOf({ messages: read, jobs: [job(1)], lastEventId: "10" });

const named = (id: string, type: string, data: unknown): StateEvent => ({ id, type, data });
const text = (content: string) => ({ type: "text", content });
const block = (id: string, messageId: string, index: number, content: string, role = "assistant") =>
  named(id, "block", { jobId: "job-1", messageId, role, index, block: text(content) });
const delta = (id: string, messageId: string, index: number, added: string, at?: number) =>
  named(id, "delta", { jobId: "job-1", messageId, index, delta: added, ...(at === undefined ? {} : { at }) });
const texts = ({ messages }: SessionState) => messages.map((message) => [message.id, formatText(message)]);
const after = (...events: StateEvent[]) => events.reduce(reduce, known);

test.each<[what: string, events: StateEvent[], texts: string[][]]>([
  [
    "a delta grows a text",
    [delta("11", "a1", 0, " two")],
    [
      ["u1", "Go."],
      ["a1", "One two"],
    ],
  ],
  [
    "a delta where the text ends grows it",
    [delta("11", "a1", 0, " two", 3)],
    [
      ["u1", "Go."],
      ["a1", "One two"],
    ],
  ],
  [
    "a block is replaced as a whole",
    [block("11", "a1", 0, "Other")],
    [
      ["u1", "Go."],
      ["a1", "Other"],
    ],
  ],
  [
    "the next block is appended",
    [block("11", "a1", 1, "Two")],
    [
      ["u1", "Go."],
      ["a1", "One\n\nTwo"],
    ],
  ],
  [
    "a text that became empty is left out",
    [block("11", "a1", 0, ""), block("12", "a1", 1, "Two")],
    [
      ["u1", "Go."],
      ["a1", "Two"],
    ],
  ],
  [
    "a steer splits the answer, and its blocks count on",
    [block("11", "u2", 0, "Wait.", "user"), block("12", "a2", 1, "Yes"), delta("13", "a2", 1, ".")],
    [
      ["u1", "Go."],
      ["a1", "One"],
      ["u2", "Wait."],
      ["a2", "Yes."],
    ],
  ],
  [
    "what is known changes nothing",
    [delta("10", "a1", 0, "!"), delta("9.3", "a1", 0, "!")],
    [
      ["u1", "Go."],
      ["a1", "One"],
    ],
  ],
  [
    "an event comes once",
    [delta("11", "a1", 0, "!"), delta("11", "a1", 0, "!")],
    [
      ["u1", "Go."],
      ["a1", "One!"],
    ],
  ],
  [
    "a snapshot's events come before its last one",
    [block("12.1", "a1", 0, "A"), block("12.2", "a1", 1, "B"), delta("12", "a1", 1, "!")],
    [
      ["u1", "Go."],
      ["a1", "A\n\nB!"],
    ],
  ],
])("%s", (_, events, expected) => {
  expect(texts(after(...events))).toEqual(expected);
});

test.each<[what: string, isStale: boolean, events: StateEvent[]]>([
  ["a delta that does not fit its text", true, [delta("11", "a1", 0, "!", 7)]],
  ["a delta of a block that is unknown", true, [delta("11", "a1", 4, "!")]],
  ["a delta of a message that is unknown", true, [delta("11", "a9", 0, "!")]],
  ["a block after a gap", true, [block("11", "a1", 3, "!")]],
  ["a reset", true, [named("11", "reset", {})]],
  ["a snapshot after events", true, [block("14.1", "a1", 0, "A")]],
  ["a turn after one that is not known", true, [named("11", "job", { job: job(3) })]],
  ["a turn while the last one is not known to have ended", true, [named("11", "job", { job: job(2) })]],
  ["the next turn", false, [named("11", "job", { job: job(1, "completed") }), named("12", "job", { job: job(2) })]],
  ["an event of an unknown name", false, [named("11", "weather", { sunny: true })]],
  ["Up next", false, [named("11", "queue", { count: 0, paused: null, messages: [] })]],
])("%s makes a state stale: %s", (_, isStale, events) => {
  expect(after(...events).isStale).toBe(isStale);
});

test("the end of a turn is the end of its job, and a deletion that of the session", () => {
  const ended = { jobId: "job-1", status: "failed", error: "No.", errorCode: "stopped" };
  expect(after(named("11", "end", ended)).jobs).toEqual([
    { ...job(1), status: "failed", error: "No.", errorCode: "stopped" },
  ]);
  expect(after(named("11", "end", { deleted: true })).isDeleted).toBe(true);
});

test("the newer record of a session is kept", () => {
  const at = (id: string, updatedAt: string) => named(id, "session", { session: { id: "s", updatedAt } });
  expect(after(at("11", "2026-02"), at("12", "2026-01")).session).toMatchObject({ updatedAt: "2026-02" });
});

test("a state is not changed by the events after it", () => {
  const before = structuredClone(known);
  after(delta("11", "a1", 0, "!"), block("12", "a1", 1, "B"), named("13", "job", { job: job(1, "completed") }));
  expect(known).toEqual(before);
});

test("blocks are counted over the answers of a turn, or as the service says", () => {
  const second = {
    ...shared,
    id: "a2",
    role: "assistant",
    content: null,
    jobId: "job-1",
    delivery: null,
    author: null,
  } as const;
  const messages = [...read, { ...second, blocks: [] }];
  expect(stateOf({ messages }).messages.map(({ firstBlockIndex }) => firstBlockIndex)).toEqual([0, 0, 1]);
  const page = [{ ...second, blocks: [], firstBlockIndex: 40 }];
  expect(stateOf({ messages: page }).messages.map(({ firstBlockIndex }) => firstBlockIndex)).toEqual([40]);
});

const toolBlock = (id: string, status: string, output: string | null) =>
  named(id, "block", {
    ...{ jobId: "job-1", messageId: "a1", role: "assistant", index: 1 },
    block: { type: "tool", name: "bash", title: "npm test", input: {}, output, status },
  });
/** It comes with the id of the event before it, as the line passes it on. */
const output = (at: number, printed: string, index = 1) =>
  named("11", "output", { jobId: "job-1", messageId: "a1", index, at, text: printed });
const running = toolBlock("11", "running", null);
const shownOutput = ({ messages }: SessionState) => {
  const shown = messages[1]?.blocks[1];
  return shown?.type === "tool" ? shown.output : undefined;
};

test.each<[what: string, events: StateEvent[], shown: string | null]>([
  ["a running tool shows what it has printed", [running, output(0, "one "), output(4, "two")], "one two"],
  [
    "a reader that comes later gets it from where it is",
    [running, output(90, "tail, "), output(96, "more")],
    "tail, more",
  ],
  [
    "all of it comes again for another reader",
    [running, output(0, "one "), output(0, "one "), output(4, "two")],
    "one two",
  ],
  [
    "what is missing between is not shown as if it were there",
    [running, output(0, "one "), output(9, "three")],
    "three",
  ],
  ["the block at the end replaces it", [running, output(0, "one "), toolBlock("12", "completed", "final")], "final"],
  [
    "a block that comes again begins with nothing",
    [running, output(0, "one "), toolBlock("12", "running", null), output(4, "two")],
    "two",
  ],
  ["a tool that has ended prints nothing more", [toolBlock("11", "completed", "final"), output(5, "late")], "final"],
  [
    "only the last 32 KiB are shown",
    [running, output(0, "x".repeat(30_000)), output(30_000, "y".repeat(10_000))],
    `${"x".repeat(22_768)}${"y".repeat(10_000)}`,
  ],
])("output: %s", (_what, events, shown) => {
  const state = after(...events);
  expect([shownOutput(state), state.isStale]).toEqual([shown, false]);
});

test("the output of what is not a running tool, or is not known, changes nothing", () => {
  const before = after(running);
  expect(reduce(before, output(0, "forged", 0))).toBe(before);
  expect(reduce(before, output(0, "forged", 7))).toBe(before);
  expect(reduce(before, named("11", "output", { messageId: "other", index: 1, at: 0, text: "forged" }))).toBe(before);
});

test("the start of a sandbox, whose events have no id of their own, is shown while its turn waits", () => {
  const boot = { steps: [], logEnd: "added 214 packages\n" };
  const waiting = stateOf({ messages: read, jobs: [job(1, "pending")], lastEventId: "10" });
  const started = named("10", "job", { job: { ...job(1, "pending"), boot } });
  expect(reduce(waiting, started)).toMatchObject({ jobs: [{ boot }], lastEventId: "10", isStale: false });
  expect(reduce(waiting, { ...started, id: "" })).toMatchObject({ jobs: [{ boot }], lastEventId: "10" });
  // One that arrives after the turn was read as running.
  expect(reduce(known, started).jobs).toEqual([job(1)]);
});
