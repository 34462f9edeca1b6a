// A sign-in from a terminal: its codes, and what its terminal is answered in each state.
import { expect, it } from "vitest";
import { findDeviceAnswer, formatUserCode, parseUserCode } from "../../../src/key/rules/device-sign-in.ts";

const now = 1_000_000;
const open = now + 1;
const over = now;
const wait = { authenticated: false, intervalSeconds: 5 };
const restart = { authenticated: false, restart: true };

it.each([
  ["nobody has decided", null, open, wait],
  ["nobody has decided in time", null, over, restart],
  ["it was approved", "approved", open, "issue"],
  ["it was approved, and its time is over", "approved", over, restart],
  ["it was denied", "denied", open, restart],
  ["it was denied, and its time is over", "denied", over, restart],
  ["its key was fetched", "fetched", open, { authenticated: true }],
  ["its key was fetched long ago", "fetched", over, { authenticated: true }],
] as const)("where %s, the terminal gets its answer", (_, outcome, expiresAt, answer) => {
  expect(findDeviceAnswer({ outcome, expiresAt }, { now, intervalSeconds: 5 })).toEqual(answer);
});

it("a code has 8 of 20 consonants, each equally likely", () => {
  const codes = Array.from({ length: 240 }, (_, byte) => formatUserCode(new Uint8Array(8).fill(byte)));
  const letters = codes.map((code) => code?.charAt(0) ?? "");
  const counts = Map.groupBy(letters, (letter) => letter);
  expect([...counts.keys()].sort().join("")).toBe("BCDFGHJKLMNPQRSTVWXZ");
  expect(new Set([...counts.values()].map(({ length }) => length))).toEqual(new Set([12]));
  expect(codes[0]).toBe("BBBB-BBBB");
});

it("a byte that would favour some letters is skipped", () => {
  expect(formatUserCode(new Uint8Array([255, 0, 240, 0, 0, 0, 0, 0, 0, 1]))).toBe("BBBB-BBBC");
  expect(formatUserCode(new Uint8Array([255, 0, 0, 0, 0, 0, 0, 0]))).toBeNull();
});

it.each([
  ["BCDF-GHJK", "BCDF-GHJK"],
  ["bcdf ghjk", "BCDF-GHJK"],
  [" bcdfghjk\n", "BCDF-GHJK"],
  ["BCDF\u2013GHJK", "BCDF-GHJK"],
  ["BCDF-GHJ", null],
  ["BCDF-GHJKL", null],
  ["ACDF-GHJK", null],
  ["BCDF-GHJ1", null],
  ["", null],
])("%j is read as %j", (typed, code) => {
  expect(parseUserCode(typed)).toBe(code);
});
