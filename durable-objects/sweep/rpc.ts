// The interface of a sweep's object.
import type { SweepName } from "../../src/sweeps/rules/sweep-name.ts";

/** The object of a sweep. It processes one page at a time, each in an invocation of its own. */
export interface SweepRpc extends Rpc.DurableObjectBranded {
  /**
   * Starts a round, or continues an unfinished one. Returns after one page; the alarm runs the
   * others.
   */
  tick(name: SweepName, now: number): Promise<void>;
  /** When it last finished a round, within five minutes; null if it never did. */
  findLastRound(): Promise<number | null>;
}
