// When a prebuild that had to be updated is replaced by a newer one.
import { expect, it } from "vitest";
import { getPrebuildChoice, type PrebuildChoice } from "../../../src/sandbox/rules/prebuild.ts";

const second = 1_000;
const hour = 3_600_000;
const day = 24 * hour;
const now = 100 * day;

// The time since its checkout was cloned and since it was made; how long the update took; how many
// sandboxes updated it to the commit.
it.each<[clonedAgo: number, madeAgo: number, tookMs: number, moversHere: number, PrebuildChoice]>([
  [7 * day, 7 * day, 0, 1, "clone"],
  [8 * day, hour, 60 * second, 3, "clone"],
  [7 * day - 1, 7 * day - 1, 3 * second - 1, 1, "keep"],
  [day, second, second, 2, "update"],
  [day, day, second - 1, 9, "keep"],
  [day, day, 3 * second, 1, "update"],
  [2 * hour, 2 * hour, 3 * second, 1, "update"],
  [2 * hour - 1, 2 * hour - 1, 60 * second, 1, "keep"],
  [day, 2 * hour - 1, 60 * second, 1, "keep"],
  [day, second, 3 * second, 2, "update"],
  [0, 0, 0, 2, "keep"],
  // A value from a sandbox that is no number decides nothing.
  [day, day, Number.NaN, 1, "keep"],
])(
  "cloned %d ms ago, made %d ms ago, updated in %d ms by sandbox %d: %s",
  (clonedAgo, madeAgo, tookMs, moversHere, choice) => {
    expect(getPrebuildChoice({ clonedAt: now - clonedAgo, madeAt: now - madeAgo, tookMs, moversHere }, now)).toBe(
      choice,
    );
  },
);
