// Prebuilds of a project's sandboxes: when a new one is made, and from what.

/**
 * A prebuild that takes less time than this to move is kept: a new one would save little waiting,
 * and little of what setup writes.
 */
const worthMs = 3_000;
/** The same limit for a prebuild that other sandboxes also move to the same commit. */
const worthForMoreMs = 1_000;
/**
 * A slow prebuild is replaced at most once in this time, unless another sandbox moves it to the
 * same commit.
 */
const replacedEveryMs = 2 * 60 * 60_000;
/** A prebuild whose checkout was cloned longer ago than this is replaced by a new clone. */
const clonedAgainAfterMs = 7 * 24 * 60 * 60_000;

/** A prebuild that a sandbox started from and moved to a newer commit of the Target Branch. */
export interface MovedPrebuild {
  /** The time of checkout and setup. The fetch does not count, because every sandbox fetches. */
  tookMs: number;
  /** In milliseconds since the epoch. */
  madeAt: number;
  /**
   * When its checkout was cloned. A prebuild that is made from an older one keeps that one's time.
   */
  clonedAt: number;
  /** The number of sandboxes that moved it to the same commit, including this one. */
  moversHere: number;
}

/**
 * `keep`: sandboxes continue to move it themselves. `update`: a new prebuild is made from it.
 * `clone`: a new one is cloned and set up.
 */
export type PrebuildChoice = "keep" | "update" | "clone";

/**
 * Decides what happens to a prebuild that a sandbox had to move. The contract promises a sandbox
 * the newest commit with its setup run ("Re-runs setup", Part 1, `svc:sync-branch`; "moves the live
 * main checkout on", decisions 11), but not how: moved or cloned, setup runs on that commit. So a
 * prebuild only saves time, and not every merge needs its own. Ignored files that setup left stay
 * when a prebuild is moved; such a leftover lives for a week at most.
 *
 * | Prebuild was cloned | Sandboxes there | Moving took | Prebuild was made | Choice |
 * |---|---|---|---|---|
 * | a week ago or more | | | | `clone` |
 * | later | two or more | 1 s or more | | `update` |
 * | later | only this one | 3 s or more | 2 hours ago or more | `update` |
 * | otherwise | | | | `keep` |
 */
export function getPrebuildChoice(
  { tookMs, madeAt, clonedAt, moversHere }: MovedPrebuild,
  now: number,
): PrebuildChoice {
  if (now - clonedAt >= clonedAgainAfterMs) return "clone";
  const isWorthIt = moversHere > 1 ? tookMs >= worthForMoreMs : tookMs >= worthMs && now - madeAt >= replacedEveryMs;
  return isWorthIt ? "update" : "keep";
}
