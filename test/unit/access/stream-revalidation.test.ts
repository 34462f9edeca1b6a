import { expect, it } from "vitest";
import { type CallerKind, callerKinds } from "../../../src/access/rules/permission-table.ts";
import { getRevalidationMs, isEndReported } from "../../../src/access/rules/stream-revalidation.ts";

const minuteMs = 60_000;

it.each<[CallerKind, boolean, number]>([
  ["browser", true, 5 * minuteMs],
  ["api-key", true, 5 * minuteMs],
  ["relay", true, 5 * minuteMs],
  ["browser", false, 15_000],
  ["api-key", false, 15_000],
  ["relay", false, 15_000],
  ["agent", true, 15_000],
  ["cron-run", true, 15_000],
])("the stream of a %s, watched: %s, asks every %i ms", (kind, isWatched, ms) => {
  expect(getRevalidationMs(kind, isWatched)).toBe(ms);
});

it("ends are checked for people, relays and connected agents, whose keys outlive a turn", () => {
  expect(callerKinds.filter(isEndReported)).toEqual(["browser", "api-key", "relay", "client"]);
});
