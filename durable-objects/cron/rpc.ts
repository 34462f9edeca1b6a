// The interface of a cron object: every call that others make on it. Callers import only this file.

import type { Actor } from "../../src/access/rules/actor.ts";
import type { CronRow } from "../../src/cron/queries/crons.ts";
import type { CronChanges, NewCron } from "../../src/cron/rules/cron.ts";
import type { CronRun } from "../../src/cron/rules/run.ts";
import type { FiredRun } from "../../src/cron/rules/run-status.ts";
import type { Idempotency } from "../../src/rules/idempotency.ts";
import type { Refusal } from "../../src/rules/refusal.ts";

export interface RunNow {
  /** Null means every project that is not paused. */
  projectIds: string[] | null;
  by: Actor;
}

/**
 * The cron object: one per cron, and the authority on its record, its counts and pauses, its runs
 * in flight and its next slot.
 */
export interface CronRpc extends Rpc.DurableObjectBranded {
  /**
   * Creates the cron. Like the other changes, it returns once lists show the cron. Returns the
   * cron's row, or null if it must be read.
   */
  create(command: NewCron, by: Actor): Promise<CronRow | Refusal | null>;
  update(request: { changes: CronChanges; zone: string; by: Actor }): Promise<Refusal | null>;
  resumeProject(request: { projectId: string; zone: string; by: Actor }): Promise<Refusal | null>;
  /** Fires now. Returns once every run is open, or after the wait of the contract. */
  runNow(request: RunNow, repeat: Idempotency | null): Promise<FiredRun[] | Refusal>;
  /** Fires a slot in the same way as the alarm: the given one, or by default the next. */
  fireSlot(slot: number | null): Promise<FiredRun[] | Refusal>;
  /**
   * Deletes the cron. Its runs are deleted after the response. CRON_RUN_STARTING while a run opens.
   */
  delete(by: Actor): Promise<Refusal | null>;
  /** Schedules the cron again in another time zone. */
  updateZone(zone: string): Promise<void>;
  /** Removes a deleted project from the cron, and stops its run. */
  deleteProject(projectId: string): Promise<void>;
  /**
   * Receives the report of a run's end. Returns once lists show it and the run's key is revoked.
   * Safe to repeat.
   */
  runEnded(run: CronRun, summary: string | null): Promise<void>;
  /**
   * Wakes the object, so that it performs stored effects and restores a lost alarm. Called by the
   * sweep.
   */
  wake(): Promise<void>;
  /** Retries the parked effects, and returns how many there are. */
  retryParked(): Promise<number>;
}
