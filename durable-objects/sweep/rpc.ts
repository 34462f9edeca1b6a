// The interface of a sweep's object.
import type { SweepName } from "../../src/sweeps/rules/sweep-name.ts";

/** The object of a sweep. It works through a page at a time, each in an invocation of its own. */
export interface SweepRpc extends Rpc.DurableObjectBranded {
  /**
   * Begins a round, or continues the one that is not over. Answers after a page; the others follow
   * by the alarm.
   */
  tick(name: SweepName, now: number): Promise<void>;
}
