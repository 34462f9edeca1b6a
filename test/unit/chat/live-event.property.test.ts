// A client that only follows a session's events, through random runs, knows at every step what a
// read would show.
import { expect, test } from "vitest";
import { toSettledChat } from "../../../src/chat/rules/chat.ts";
import type { ChatEvent } from "../../../src/chat/rules/live-event.ts";
import { toWireSessionEvent } from "../../../src/chat/wire/live-event.ts";
import { listSessionChanges, type SessionChanged } from "../../../src/session/rules/live-event.ts";
import type { SessionState } from "../../../src/session/rules/session.ts";
import { randomRun } from "../../support/session-run.ts";

const place = { id: "session-1", projectId: "project-1" };
const listEvents = (before: SessionState | null, after: SessionState) =>
  listSessionChanges(before, after).map((event) => ({
    turnId: event.turnId,
    ...toWireSessionEvent(event as ChatEvent | SessionChanged, place, "https://service.example"),
  }));

/**
 * The newest event of each kind, which is all that a client shows of a session besides its
 * conversation.
 */
function newest(events: ReturnType<typeof listEvents>) {
  const of = (name: string) => events.findLast(({ event }) => event === name)?.data;
  return { session: of("session"), queue: of("queue"), job: of("job") };
}

test.each(Array.from({ length: 40 }, (_, place) => place + 1))(
  "a client that only follows a session's run knows its state at every step, and receives each end once (seed %i)",
  (seed) => {
    const [first, ...others] = randomRun(seed, 150);
    if (!first) throw new Error("an empty run");
    const events = listEvents(null, first.before);
    for (const { before, after, where } of [first, ...others]) {
      events.push(...listEvents(before, after));
      const current = newest(listEvents(null, { ...after, chat: toSettledChat(after.chat) }));
      expect({ where, ...newest(events) }).toEqual({ where, ...current });
    }
    const ends = events.filter(({ event }) => event === "end").map(({ turnId }) => turnId);
    expect(new Set(ends).size).toBe(ends.length);
    for (const turnId of ends) expect(events.findLast((event) => event.turnId === turnId)?.event).toBe("end");
  },
);
