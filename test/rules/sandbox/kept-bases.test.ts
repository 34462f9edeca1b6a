// How many bases a busy project keeps, day after day.
import { expect, it } from "vitest";
import { endedWorkDays } from "../../../src/rules/limits.ts";

// A project with 20 merges a day: each merge has a base made, and a session begins on it that ends with its own merge a day later. The newest
// base stays; an older one goes once no session's work stands on it.
const mergesADay = 20;
const sessionDays = 1;

/** The bases that are kept after some days, where the work of an ended session is dropped after some more. */
function basesAfter(days: number, keptDays: number): number {
  let users: { merge: number; leavesAt: number }[] = [];
  for (let merge = 0; merge < days * mergesADay; merge++) {
    const now = merge / mergesADay;
    users = users.filter(({ leavesAt }) => leavesAt > now);
    users.push({ merge, leavesAt: now + sessionDays + keptDays });
  }
  return new Set(users.map(({ merge }) => merge)).size;
}

it("a project with 20 merges a day keeps the bases of 15 days, not of a year", () => {
  expect(basesAfter(365, endedWorkDays)).toBe(300);
  expect(basesAfter(3 * 365, endedWorkDays)).toBe(300);
  expect(basesAfter(365, Number.POSITIVE_INFINITY)).toBe(7_300);
});
