// Calls of the API by the tools.
import type { Refusal } from "../rules/refusal.ts";

/** The operations that tools call. None ships, deletes, changes settings or shows a secret. */
export type Operation =
  | "listProjects"
  | "searchSessions"
  | "findSession"
  | "createSession"
  | "sendMessage"
  | "cancelJob"
  | "listJobs"
  | "readJob"
  | "readMessages"
  | "followSession"
  | "readDiff"
  | "readFile"
  | "listArtifacts"
  | "readArtifact"
  | "createShareLink";

export interface Asked {
  params?: Record<string, string>;
  /** A list is a repeated parameter. */
  query?: Record<string, string | readonly string[] | undefined>;
  body?: object;
  /** The Idempotency-Key. */
  key?: string | undefined;
  signal?: AbortSignal;
}

export interface Api {
  /** Calls an operation, and returns its `data`. */
  call<Data>(operation: Operation, asked?: Asked): Promise<Data | Refusal>;
  /** Opens an event stream. */
  follow(operation: Operation, asked: Asked): Promise<ReadableStream<Uint8Array> | Refusal>;
}
