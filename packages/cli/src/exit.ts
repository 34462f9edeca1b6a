// The exit codes of the command line, and the errors that have one.
import { ConnectionError, GaveUpError, SwitchyardError, type TurnResult } from "@switchyard/client";
import { findHint } from "./print/hint.ts";
import { listQuestionLines } from "./print/session.ts";

export const exitCodes = {
  done: 0,
  refused: 1,
  usage: 2,
  turnFailed: 3,
  asks: 4,
  limit: 5,
  stopped: 6,
  notAllowed: 77,
  timeOver: 124,
  interrupted: 130,
} as const;

/** A command that cannot continue, with what to do about it. `helps` is one that continues. */
export class UsageError extends Error {
  override readonly name = "UsageError";
  readonly helps: string | null;

  constructor(message: string, helps: string | null = null) {
    super(message);
    this.helps = helps;
  }
}

/** A command that needs a key, where none is. */
export class NotSignedInError extends Error {
  override readonly name = "NotSignedInError";
}

/** A name that nothing has, or more than one thing. `helps` is the command that lists the names. */
export class NotFoundError extends Error {
  override readonly name = "NotFoundError";
  readonly helps: string;

  constructor(message: string, helps: string) {
    super(message);
    this.helps = helps;
  }
}

/** A person pressed ^C at a question. Elsewhere, ^C ends the process by its signal. */
export class InterruptedError extends Error {
  override readonly name = "InterruptedError";
}

/** The exit code for how a turn ended. */
export function getOutcomeCode(outcome: TurnResult["outcome"]): number {
  switch (outcome) {
    case "completed":
      return exitCodes.done;
    case "asks":
      return exitCodes.asks;
    case "failed":
      return exitCodes.turnFailed;
    case "limit":
      return exitCodes.limit;
    case "stopped":
      return exitCodes.stopped;
  }
}

const limitStatus = 402;

/** The exit code for an error. */
export function getErrorCode(error: unknown): number {
  if (error instanceof UsageError) return exitCodes.usage;
  if (error instanceof NotSignedInError) return exitCodes.notAllowed;
  if (error instanceof InterruptedError) return exitCodes.interrupted;
  if (error instanceof GaveUpError) return exitCodes.timeOver;
  if (!(error instanceof SwitchyardError)) return exitCodes.refused;
  if (error.status === 401 || error.status === 403) return exitCodes.notAllowed;
  return error.status === limitStatus ? exitCodes.limit : exitCodes.refused;
}

/** What a script reads about an error, on stderr with `--json`. */
export function toErrorData(error: unknown) {
  const message = error instanceof Error ? error.message : String(error);
  const known = { error: message, exitCode: getErrorCode(error) };
  if (!(error instanceof SwitchyardError)) return known;
  const { failure, status, requestId } = error;
  return { ...known, code: failure.code, details: failure.details ?? null, status, requestId };
}

interface Choices {
  questions: { question: string; options: string[] }[];
}

const hasChoices = (details: unknown): details is Choices =>
  typeof details === "object" && details !== null && "questions" in details;

/** The open questions, with which an answer that fits none of them is refused. */
function listChoiceLines(details: unknown): string[] {
  if (!hasChoices(details)) return [];
  const toOption = (title: string) => ({ title, description: "", isRecommended: false });
  const questions = details.questions.map(({ question, options }) => ({
    ...{ question, topic: "", options: options.map(toOption) },
  }));
  return listQuestionLines(questions, null, process.stderr);
}

/** The lines that a person reads about an error: what happened, and what helps. */
export function listErrorLines(error: unknown): string[] {
  if (error instanceof SwitchyardError) {
    const { requestId, failure } = error;
    const hint = findHint(error);
    const listed = Array.isArray(failure.details) ? failure.details : [];
    const details = listed.map(({ path, message }) => `${path} ${message}`).concat(listChoiceLines(failure.details));
    // One mistake is what the message says already.
    const isSaid = details.length === 1 && error.message.startsWith(details[0] ?? "");
    return [
      error.message,
      ...(isSaid ? [] : details.map((line) => `  ${line}`)),
      ...(hint === null ? [] : [hint]),
      ...(requestId === null ? [] : [`Request id: ${requestId}`]),
    ];
  }
  if (error instanceof UsageError && error.helps !== null) return [error.message, `→ ${error.helps}`];
  if (error instanceof NotFoundError) return [error.message, `→ ${error.helps}`];
  if (error instanceof ConnectionError) {
    const doubt = error.mayHaveHappened ? ["The change may have been made. Check before you repeat it."] : [];
    return [error.message, ...doubt, "→ sy doctor"];
  }
  return [error instanceof Error ? error.message : String(error)];
}
