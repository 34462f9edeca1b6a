// The transcript that the client library builds of a recorded stream, however the stream arrives,
// is the conversation that the service stores.
import { beforeAll, expect, test } from "vitest";
import type { Schemas } from "../../../packages/client/src/generated/api.ts";
import { reduce, type ShownMessage, type StateEvent, stateOf } from "../../../packages/client/src/state.ts";
import { randomSource } from "../../support/random-source.ts";
import { openSubscriber } from "../support/live-subscriber.ts";
import { type Recording, readMessages, recordStream, toStateEvents } from "../support/recorded-stream.ts";

const eventCount = 10_000;
/** A stream whose lines are cut brings this many events a line. */
const eventsOfLine = 50;

let recording: Recording;
let stored: Schemas["Message"][];
beforeAll(async () => {
  recording = await recordStream(1, eventCount);
  stored = await readMessages(recording.driver);
});

const beginning = stateOf({ messages: [] });
const lastId = () => recording.events.at(-1)?.id;

/** What both know: events do not say when an answer began, and a read not at which block. */
const toShown = (messages: readonly (ShownMessage | Schemas["Message"])[]) =>
  messages.map(({ firstBlockIndex: _, createdAt, ...message }) => ({
    ...message,
    createdAt: message.role === "user" ? createdAt : null,
  }));

function expectStored({ messages, isStale, lastEventId }: typeof beginning): void {
  expect({ isStale, lastEventId }).toEqual({ isStale: false, lastEventId: lastId() });
  const shown = toShown(messages);
  expect(shown.map(({ id, blocks }) => [id, blocks.length])).toEqual(
    stored.map(({ id, blocks }) => [id, blocks.length]),
  );
  for (const [at, message] of toShown(stored).entries()) expect(shown[at]).toEqual(message);
}

test("the recording has every kind of event and of message", () => {
  const { events, snapshots } = recording;
  expect(events.length).toBeGreaterThanOrEqual(eventCount);
  expect([...new Set(events.map(({ type }) => type))].sort()).toEqual(
    ["block", "delta", "end", "job", "output", "queue", "session"].sort(),
  );
  const of = (delivery: string) => stored.filter((message) => message.delivery === delivery).length;
  expect(Math.min(of("job"), of("steer"), snapshots.length)).toBeGreaterThan(5);
  const types = new Set(stored.flatMap(({ blocks }) => blocks.map(({ type }) => type)));
  expect([...types].sort()).toEqual(["clarification", "plan", "text", "tool"]);
});

test("whole", () => {
  expectStored(recording.events.reduce(reduce, beginning));
});

test("each event twice", () => {
  expectStored(recording.events.flatMap((event) => [event, event]).reduce(reduce, beginning));
});

test(`cut after every ${eventsOfLine} events: the service continues after the last one`, async () => {
  let state = beginning;
  let lastEventId = "0";
  for (let lines = 0; lastEventId !== lastId(); lines++) {
    expect(lines).toBeLessThan(eventCount);
    const line = await openSubscriber(recording.driver.session(), null, lastEventId);
    await line.more();
    line.leave();
    state = toStateEvents(line.events.slice(0, eventsOfLine)).reduce(reduce, state);
    lastEventId = state.lastEventId ?? lastEventId;
  }
  expectStored(state);
});

test("in two tabs that take over from each other, so that one's events come between the other's", () => {
  const { events } = recording;
  const random = randomSource(2);
  const tabs = [0, 0];
  let state = beginning;
  while (tabs.some((at) => at < events.length)) {
    const tab = random.below(2);
    const from = tabs[tab] ?? 0;
    tabs[tab] = Math.min(events.length, from + 1 + random.below(80));
    state = events.slice(from, tabs[tab]).reduce(reduce, state);
  }
  expectStored(state);
});

test("from each snapshot on, after a read in the middle of a turn", () => {
  for (const { messages, events } of recording.snapshots) {
    const known: StateEvent[] = [...events, ...recording.events];
    expectStored(known.reduce(reduce, stateOf({ messages })));
  }
});
