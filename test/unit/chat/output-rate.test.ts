// How many pieces of output a sandbox may send to readers, whatever it tries.
import { expect, test } from "vitest";
import { countPiece, type OutputAllowance } from "../../../src/chat/rules/output-rate.ts";
import { turnOutputPiecesPerSecond } from "../../../src/rules/limits.ts";

const start = 1_000_000;

/** How many of the pieces, sent at these times, are let through. */
function countTaken(times: number[]): number {
  let allowance: OutputAllowance | undefined;
  return times.filter((at) => {
    const left = countPiece(allowance, at);
    allowance = left ?? allowance;
    return left !== null;
  }).length;
}

const every = (ms: number, count: number, from = start) => Array.from({ length: count }, (_, at) => from + at * ms);

test.each<[what: string, times: number[], taken: number]>([
  ["four tools that print all the time", every(1_000 / turnOutputPiecesPerSecond, 1_000), 1_000],
  ["what a link held back for a few seconds", [...every(250, 40), ...every(0, 40, start + 20_000)], 80],
  ["a flood at one moment", every(0, 1_000), 64],
  ["a flood of ten seconds", every(1, 10_001), 64 + 10 * turnOutputPiecesPerSecond],
  ["a clock that goes back", [...every(0, 64), start - 60_000, start - 59_999], 64],
])("%s", (_what, times, taken) => {
  expect(countTaken(times)).toBe(taken);
});
