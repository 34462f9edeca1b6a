import { expect, it } from "vitest";
import { findCurrentRound, getRoundAfter, type SweepRound } from "../../../src/sweeps/rules/round.ts";

const now = 1_000 * 24 * 60 * 60_000;
const hourMs = 60 * 60_000;

it.each<[string, SweepRound | null, SweepRound | null]>([
  ["that never was begins", null, { at: now, cursor: "" }],
  [
    "under way goes on, however long it takes",
    { at: now - 90 * hourMs, cursor: "b" },
    { at: now - 90 * hourMs, cursor: "b" },
  ],
  ["that ended within the day rests", { at: now - 24 * hourMs + 1, cursor: null }, null],
  ["that began a day ago begins again", { at: now - 24 * hourMs, cursor: null }, { at: now, cursor: "" }],
])("a round %s", (_, last, next) => {
  expect(findCurrentRound(last, now)).toEqual(next);
});

it.each<[string[], string | null]>([
  [["a", "b", "c"], "c"],
  [["a", "b"], null],
  [[], null],
])("after %j of pages of three it is at %s", (ids, cursor) => {
  expect(getRoundAfter({ at: now, cursor: "" }, ids, 3)).toEqual({ at: now, cursor });
});
