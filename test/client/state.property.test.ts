// Any cuts and replays of 10,000 events reduce to the conversation that the service has.
import { expect, test } from "vitest";
import type { Schemas } from "../../packages/client/src/generated/api.ts";
import { reduce, type SessionState, type StateEvent, stateOf } from "../../packages/client/src/state.ts";
import { type RandomSource, randomSource } from "../support/random-source.ts";

const eventCount = 10_000;
type Message = Schemas["Message"];

/** A conversation as the service has it, with the events that it sent. */
interface Conversation {
  messages: Message[];
  events: StateEvent[];
  /** The conversation after each event, at some of them, as a read shows it. */
  reads: { messages: Message[]; lastEventId: string }[];
}

/** Writes a conversation: turns with steers, blocks that grow and blocks that are replaced. */
function writeConversation(random: RandomSource): Conversation {
  const messages: Message[] = [];
  const events: StateEvent[] = [];
  const reads: Conversation["reads"] = [];
  let jobNumber = 0;
  let index = 0;
  const send = (type: string, data: unknown) => {
    events.push({ id: String(events.length + 1), type, data: structuredClone(data) });
    if (random.oneIn(400)) reads.push({ messages: structuredClone(messages), lastEventId: String(events.length) });
  };
  const jobId = () => `job-${jobNumber}`;
  const job = (status: string) => send("job", { job: { id: jobId(), jobNumber, status } });
  const common = { attachments: [], createdAt: "2026-11-25T10:00:00.000Z", author: null };
  const addUser = (delivery: "job" | "steer") => {
    const id = `user-${events.length}`;
    const content = `Say ${id}.`;
    messages.push({ ...common, id, role: "user", content, blocks: [], jobId: jobId(), delivery });
    const block = { type: "text", content };
    send("block", { ...common, jobId: jobId(), messageId: id, role: "user", index: 0, block, delivery });
  };
  const start = () => {
    jobNumber += 1;
    index = 0;
    addUser("job");
    job("running");
  };
  start();
  while (events.length < eventCount) {
    const last = messages.at(-1);
    const block = last?.blocks.at(-1);
    const needsMessage = last?.role === "user";
    const kind =
      needsMessage || !block ? "block" : random.pick(["delta", "delta", "delta", "delta", "block", "tool", "other"]);
    if (kind === "delta" && last && block?.type === "text") {
      const delta = random.pick(["Grüße ", "😀", "a much longer piece of text, ", "\n"]);
      const at = random.oneIn(2) ? { at: block.content.length } : {};
      block.content += delta;
      send("delta", { jobId: jobId(), messageId: last.id, index: index - 1, delta, ...at });
    } else if (kind === "tool" && last && block) {
      // The newest block changes as a whole.
      const changed = { type: "text", content: `changed ${events.length}` } as const;
      last.blocks[last.blocks.length - 1] = changed;
      send("block", { jobId: jobId(), messageId: last.id, role: "assistant", index: index - 1, block: changed });
    } else if (kind === "other") {
      if (random.oneIn(10)) {
        job("completed");
        send("end", { jobId: jobId(), status: "completed", error: null, errorCode: null });
        start();
      } else if (random.oneIn(4)) addUser("steer");
      else send("queue", { count: 0, paused: null, messages: [] });
    } else {
      const added = { type: "text", content: random.oneIn(3) ? "" : "Text" } as const;
      const isNew = last?.role !== "assistant";
      const message: Message = isNew
        ? {
            ...common,
            id: `answer-${events.length}`,
            role: "assistant",
            content: null,
            blocks: [],
            jobId: jobId(),
            delivery: null,
          }
        : last;
      if (isNew) messages.push(message);
      message.blocks.push({ ...added });
      send("block", { jobId: jobId(), messageId: message.id, role: "assistant", index, block: added });
      index += 1;
    }
  }
  return { messages, events, reads };
}

/** What both know: events do not say when an answer began, and a read not at which block. */
const toShown = ({ messages }: Pick<SessionState, "messages"> | { messages: Message[] }) =>
  messages.map(({ id, role, content, blocks, jobId, delivery }) => ({ id, role, content, blocks, jobId, delivery }));

test.each(Array.from({ length: 20 }, (_, seed) => seed))("seed %i", (seed) => {
  const random = randomSource(seed);
  const { messages, events, reads } = writeConversation(random);
  expect(reads.length).toBeGreaterThan(0);
  const first = events.slice(0, 1 + random.below(5));
  let state = first.reduce(reduce, stateOf({ messages: [] }));
  while (state.lastEventId !== String(events.length)) {
    const known = Number(state.lastEventId);
    // A client that was away may read first, and continues from there.
    const read = random.oneIn(10) ? reads.find(({ lastEventId }) => Number(lastEventId) > known) : undefined;
    if (read) state = stateOf({ ...read, jobs: state.jobs.slice(0, 0) });
    // A line that was cut repeats events, and is cut again.
    const from = Math.max(0, Number(state.lastEventId) - random.below(50));
    for (const event of events.slice(from, from + 1 + random.below(400))) state = reduce(state, event);
  }
  expect(state.isStale).toBe(false);
  expect(toShown(state)).toEqual(toShown({ messages }));
});
