// What is new to a person: kept through events, which do not say it.
import { withSeen } from "@switchyard/client/state";
import { expect, test } from "vitest";
import type { Session } from "../../console/src/session/queries.ts";
import { isUnseen, markSeen } from "../../console/src/session/seen.ts";

const early = "2026-01-01T10:00:00.000Z";
const late = "2026-01-01T11:00:00.000Z";
const session = (needsYouSince: string | null, isSeen: boolean | null) => ({ needsYouSince, isSeen }) as Session;

test.each<[event: Session, before: Session | null, isSeen: boolean | null]>([
  [session(early, null), session(early, true), true],
  [session(early, null), session(early, false), false],
  [session(late, null), session(early, true), false],
  [session(early, null), session(null, null), false],
  [session(early, null), null, false],
  [session(null, null), session(early, true), null],
  [session(early, true), session(early, false), true],
])("an event %j after %j: seen is %s", (event, before, isSeen) => {
  expect(withSeen(event, before).isSeen).toBe(isSeen);
});

test.each<[Session, since: string, isNew: boolean]>([
  [session(early, false), early, false],
  [session(early, false), late, false],
  [session(late, false), early, true],
  [session(null, null), late, false],
])("%j, seen until %s, is new: %s", (read, since, isNew) => {
  expect(isUnseen(markSeen(read, since))).toBe(isNew);
});
