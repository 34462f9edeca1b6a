// Bases of a project's sandboxes: when a new one is made, and of what.

/**
 * A base that is moved on faster than this is kept: a new one would save little waiting, and little
 * of what setup writes.
 */
export const worthMs = 3_000;
/** The same limit for a base that other sandboxes move on to the same commit, too. */
export const worthForMoreMs = 1_000;
/**
 * A slow base is replaced once in this time at most, unless another sandbox moves it on to the same
 * commit.
 */
export const replacedEveryMs = 2 * 60 * 60_000;
/** A base whose checkout was cloned longer ago than this is replaced by a new clone. */
export const madeAnewAfterMs = 7 * 24 * 60 * 60_000;

/** A base that a sandbox began with, and moved on to a newer commit of the Target Branch. */
export interface MovedBase {
  /** The time of checkout and setup. The fetch does not count, because every sandbox fetches. */
  tookMs: number;
  /** In milliseconds since the epoch. */
  madeAt: number;
  /**
   * When its checkout was cloned. A base that was moved on keeps the time of the base that it was
   * made from.
   */
  clonedAt: number;
  /** The number of sandboxes that moved it on to the same commit, this one included. */
  moversHere: number;
}

/**
 * `keep`: sandboxes go on moving it on themselves. `move-on`: a new base is made from it.
 * `make-anew`: a new one is cloned and set up.
 */
export type BaseChoice = "keep" | "move-on" | "make-anew";

/**
 * What becomes of a base that a sandbox had to move on. The contract gives a sandbox the newest commit with its setup run ("Re-runs setup", Part 1,
 * `svc:sync-branch`; "moves the live main checkout on", decisions 11), and says nothing of how: moved on or cloned, setup runs on that commit. So a
 * base only saves time, and each merge need not have its own. What setup left in ignored files stays when a base is moved on, and a week is the
 * longest that such a leftover lives.
 *
 * | Base was cloned | Sandboxes there | Moving on took | Base was made | Choice |
 * |---|---|---|---|---|
 * | a week ago or more | | | | make anew |
 * | later | two or more | 1 s or more | | move on |
 * | later | this one alone | 3 s or more | 2 hours ago or more | move on |
 * | otherwise | | | | keep |
 */
export function baseChoice({ tookMs, madeAt, clonedAt, moversHere }: MovedBase, now: number): BaseChoice {
  if (now - clonedAt >= madeAnewAfterMs) return "make-anew";
  const isWorthIt = moversHere > 1 ? tookMs >= worthForMoreMs : tookMs >= worthMs && now - madeAt >= replacedEveryMs;
  return isWorthIt ? "move-on" : "keep";
}
