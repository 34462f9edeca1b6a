// The errors of the library: a refusal of the service, a connection that brought no response, and a
// wait that is over.
import type { Operations, Schemas } from "./generated/api.ts";

/** An operation by its method and path, such as `GET /api/models`. */
export type OperationName = keyof Operations;
export type ErrorCode = Schemas["ErrorCode"];
/** The codes with which an operation can be refused. */
export type OperationCodes<Name extends OperationName> = Operations[Name]["codes"];

type CodeDetails<Code> = Code extends "VALIDATION_ERROR" ? { path: string; message: string }[] : unknown;

/** What the service said: a `switch` over `code` narrows `details`. */
export type Failure<Code extends ErrorCode = ErrorCode> = {
  [One in Code]: { code: One; details: CodeDetails<One> };
}[Code];

interface Refusal {
  failure: Failure;
  status: number;
  requestId: string | null;
  retryAfterMs: number | null;
  operation: string;
}

/** The service refused a call, or failed at it. */
export class SwitchyardError extends Error {
  override readonly name = "SwitchyardError";
  readonly failure: Failure;
  readonly status: number;
  /** Names the request for the operator of the service. */
  readonly requestId: string | null;
  /** After how many milliseconds a retry can succeed; null where that is not known. */
  readonly retryAfterMs: number | null;
  /** The operation, by its method and path. */
  readonly operation: string;

  constructor(message: string, { failure, status, requestId, retryAfterMs, operation }: Refusal) {
    super(message);
    this.failure = failure;
    this.status = status;
    this.requestId = requestId;
    this.retryAfterMs = retryAfterMs;
    this.operation = operation;
  }
}

/** No response arrived: the service was not reached, or the connection broke. */
export class ConnectionError extends Error {
  override readonly name = "ConnectionError";
  readonly operation: string;
  /** True if the service may have done what was asked. Read the state before you ask again. */
  readonly mayHaveHappened: boolean;

  constructor(operation: string, mayHaveHappened: boolean, cause: unknown) {
    super(`${operation} got no response: ${explain(cause)}`, { cause });
    this.operation = operation;
    this.mayHaveHappened = mayHaveHappened;
  }
}

/**
 * Node's `fetch` says what happened in its cause; where it tried several addresses, only by a
 * code.
 */
function explain(cause: unknown): string {
  const inner = cause instanceof Error && cause.cause instanceof Error ? cause.cause : cause;
  if (!(inner instanceof Error)) return String(inner);
  return inner.message || String("code" in inner ? inner.code : inner.name);
}

/** The time of a wait is over. What was waited for continues. */
export class GaveUpError<State = unknown> extends Error {
  override readonly name = "GaveUpError";
  /** The last state that was seen. */
  readonly state: State;

  constructor(message: string, state: State) {
    super(message);
    this.state = state;
  }
}

/**
 * True for a refusal, whose codes are then those of the operation. It does not compare the
 * operation of the error: name the one that you called.
 */
export function refused<Name extends OperationName>(
  error: unknown,
  _operation: Name,
): error is SwitchyardError & { failure: Failure<OperationCodes<Name>> } {
  return error instanceof SwitchyardError;
}

/**
 * Reads the refusal of a response. A response that is not of the service has a code by its status.
 * @internal
 */
export async function readRefusal(response: Response, operation: string): Promise<SwitchyardError> {
  const { status, headers } = response;
  const said = (await response.json().catch(() => null)) as {
    error?: unknown;
    code?: unknown;
    details?: unknown;
  } | null;
  const isOurs = typeof said?.code === "string" && typeof said.error === "string";
  const code = isOurs ? said.code : status >= 500 ? "SERVICE_UNAVAILABLE" : "BAD_REQUEST";
  const message = isOurs
    ? String(said.error)
    : `${operation} was answered with ${status}, by something else than Switchyard.`;
  const seconds = Number(headers.get("retry-after") ?? Number.NaN);
  return new SwitchyardError(message, {
    // A code that is newer than this library is given as it is.
    failure: { code, details: said?.details } as Failure,
    status,
    requestId: headers.get("x-request-id"),
    retryAfterMs: Number.isFinite(seconds) ? seconds * 1000 : null,
    operation,
  });
}
