// The interface of a cron object: every call that others make on it. Callers import only this file.

import type { Actor } from "../../src/access/rules/actor.ts";
import type { CronRow } from "../../src/cron/queries/crons.ts";
import type { CronChanges, NewCron } from "../../src/cron/rules/cron.ts";
import type { CronRun } from "../../src/cron/rules/run.ts";
import type { FiredRun } from "../../src/cron/rules/run-status.ts";
import type { Idempotency } from "../../src/rules/idempotency.ts";
import type { Refusal } from "../../src/rules/refusal.ts";

export interface RunNow {
  /** Null for every project that is not paused. */
  projectIds: string[] | null;
  by: Actor;
}

/**
 * The cron object: one per cron, and the authority on its record, its counts and pauses, its runs
 * in flight and its next slot.
 */
export interface CronRpc extends Rpc.DurableObjectBranded {
  /**
   * Creates the cron. Answers once lists show it, as do the other changes: with its row, or null
   * where that has to be read.
   */
  create(command: NewCron, by: Actor): Promise<CronRow | Refusal | null>;
  change(request: { changes: CronChanges; zone: string; by: Actor }): Promise<Refusal | null>;
  resumeProject(request: { projectId: string; zone: string; by: Actor }): Promise<Refusal | null>;
  /** Fires now. Answers once every run is open, or after the wait of the contract. */
  runNow(request: RunNow, repeat: Idempotency | null): Promise<FiredRun[] | Refusal>;
  /** Fires a slot on the path of the alarm: the next one, or the one named. */
  fireSlot(slot: number | null): Promise<FiredRun[] | Refusal>;
  /** Deletes the cron. Its runs go behind the answer. CRON_RUN_STARTING while a run opens. */
  remove(by: Actor): Promise<Refusal | null>;
  /** Plans anew in another zone. */
  changeZone(zone: string): Promise<void>;
  /** Takes a deleted project out, and stops its run. */
  dropProject(projectId: string): Promise<void>;
  /** A run tells how it ended. Answers once lists show it and its key is dead. Safe to repeat. */
  runEnded(run: CronRun, summary: string | null): Promise<void>;
  /**
   * Wakes the object, so that it performs stored effects and sets a lost alarm again. Called by the
   * sweep.
   */
  poke(): Promise<void>;
  /** Tries the parked effects again, and answers how many there are. */
  retryParked(): Promise<number>;
}
