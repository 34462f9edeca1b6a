// The interface of a run object: every call that others make on it. Callers import only this file.
import type { CronRun, RunToBegin } from "../../src/cron/rules/run.ts";
import type { RunStop } from "../../src/cron/rules/run-status.ts";
import type { Refusal } from "../../src/rules/refusal.ts";
import type { Usage } from "../../src/usage/rules/usage.ts";
import type { TurnOwnerRpc } from "../chat/rpc.ts";

/** A run as a read of it shows it. */
export interface RunReport {
  run: CronRun;
  /** Empty while there is none. */
  reply: string;
}

/** What the agent of a run did, in numbers. */
export interface DonePayload {
  /** Answers of the model. */
  modelTurns: number;
  toolCalls: number;
  artifacts: number;
  filedSessions: number;
  usage: Usage | null;
}

export interface RunDiagnostics {
  run: CronRun;
  /** When the agent's first event came. */
  firstEventAt: number | null;
  /** Null until the agent's run is over. */
  donePayload: DonePayload | null;
  /** Null once it is cleared. */
  log: string | null;
}

/** The object of a cron run: one per run that opens, and the authority on how it ends. */
export interface CronRunRpc extends TurnOwnerRpc {
  /** Keeps the run. It is not started yet. Safe to repeat. */
  begin(run: RunToBegin): Promise<void>;
  /** Starts the run with its key, which is in the database. */
  start(key: string): Promise<void>;
  /**
   * Ends the run, and answers once its key is dead and its sandbox knows. BAD_REQUEST if it has
   * ended.
   */
  stop(stop: RunStop): Promise<Refusal | null>;
  /** Null for a run that was never opened, or is deleted. */
  read(): Promise<RunReport | null>;
  diagnostics(): Promise<RunDiagnostics | null>;
  /** The transcript as a JSON array. */
  messages(): Promise<ReadableStream<Uint8Array>>;
  /** Stops the run if it goes on, and forgets it. Idempotent. */
  remove(): Promise<void>;
}
