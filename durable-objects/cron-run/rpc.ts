// The interface of a run object: every call that others make on it. Callers import only this file.
import type { MessagePageRequest } from "../../src/chat/wire/message-page.ts";
import type { CronRun, RunToBegin } from "../../src/cron/rules/run.ts";

import type { RunStop } from "../../src/cron/rules/run-status.ts";
import type { Refusal } from "../../src/rules/refusal.ts";
import type { Usage } from "../../src/usage/rules/usage.ts";
import type { TurnOwnerRpc } from "../chat/rpc.ts";

/** A run with its reply, as reading it returns them. */
export interface RunReport {
  run: CronRun;
  /** Empty if the agent has not replied. */
  reply: string;
}

/** Statistics of what the agent of a run did. */
export interface DonePayload {
  /** Number of the model's responses. */
  modelTurns: number;
  toolCalls: number;
  artifacts: number;
  filedSessions: number;
  usage: Usage | null;
}

export interface RunDiagnostics {
  run: CronRun;
  /** When the agent's first event arrived. */
  firstEventAt: number | null;
  /** Null until the agent's run is over. */
  donePayload: DonePayload | null;
  /** Null once the log is cleared. */
  log: string | null;
}

/** The object of a cron run: one per opened run, and the authority on how the run ends. */
export interface CronRunRpc extends TurnOwnerRpc {
  /**
   * Stores the run without starting it. Returns true if it is stopped or deleted already. Safe to
   * repeat.
   */
  create(run: RunToBegin): Promise<boolean>;
  /** Starts the run with its key, which is in the database. */
  start(key: string): Promise<void>;
  /**
   * Ends the run. Returns once its key is revoked and its sandbox was notified. BAD_REQUEST if the
   * run has ended.
   */
  stop(stop: RunStop): Promise<Refusal | null>;
  /** Null for a run that was never opened, or is deleted. */
  read(): Promise<RunReport | null>;
  diagnostics(): Promise<RunDiagnostics | null>;
  /** The transcript as a JSON array. */
  messages(): Promise<ReadableStream<Uint8Array>>;
  /** One page of the transcript, as the JSON of `readMessagePage`. */
  messagePage(request: MessagePageRequest): Promise<string>;
  /** Stops the run if it is running, and deletes it. Idempotent. */
  delete(): Promise<void>;
}
