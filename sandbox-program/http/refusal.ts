// A refusal: an error for the caller of the program. Any other error is a bug and becomes INTERNAL.
import type { ProgramRefusal, ProgramRefusalCode } from "../../src/sandbox-protocol/protocol.ts";

interface RefusalError extends Error {
  refusal: ProgramRefusalCode;
}

/** Creates an error that reaches the caller with this code and message. */
export function createRefusal(code: ProgramRefusalCode, message: string): RefusalError {
  return Object.assign(new Error(message), { refusal: code });
}

/** True for an error made by `createRefusal`. */
export function isRefusal(error: unknown): error is RefusalError {
  return error instanceof Error && "refusal" in error;
}

/** The refusal for an error. */
export function toRefusal(error: unknown): ProgramRefusal {
  if (isRefusal(error)) return { code: error.refusal, message: error.message };
  if (isDiskFull(error)) return { code: "INTERNAL", message: diskIsFull };
  return { code: "INTERNAL", message: "The sandbox program met an unexpected error." };
}

/** What a person reads of an error for which `isDiskFull` is true. */
export const diskIsFull = "The sandbox's disk is full. Delete what it does not need, and try again.";

/** True if the disk had no space for a write. */
export const isDiskFull = (error: unknown): boolean =>
  error instanceof Error && "code" in error && (error.code === "ENOSPC" || error.code === "EDQUOT");

/** The HTTP status of a refusal's code. */
export function getRefusalStatus(code: ProgramRefusalCode): number {
  switch (code) {
    case "BAD_CALL":
    case "OUTSIDE_PROJECT":
    case "ARCHIVE_UNREADABLE":
      return 400;
    case "UNAUTHORIZED":
      return 401;
    case "NOT_FOUND":
      return 404;
    case "NO_CHECKOUT":
    case "TURN_RUNNING":
    case "LEAVING":
    case "OUTDATED":
    case "CONVERSATION_MISSING":
    case "NOTHING_TO_COMMIT":
    case "FILE_CHANGED":
    case "WORK_CHANGED":
      return 409;
    case "BINARY_CONTENT":
      return 415;
    case "GIT_REFUSED":
    case "REMOTE_SILENT":
    case "SETUP_FAILED":
    case "UNSAVABLE":
    case "LIST_TOO_LONG":
    case "WRITE_FAILED":
    case "COMPACTION_FAILED":
      return 422;
    case "INTERNAL":
      return 500;
  }
}
