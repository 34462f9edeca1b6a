// Absences of the service, as a deployment or a restart makes them, seen from the agent's model
// calls: which outcome of a call is one, and how long the agent waits for the service to come back.
import { turnSilenceMs } from "../../rules/limits.ts";
import type { CallFailure } from "./failure.ts";

/**
 * The header of every answer of the model gateway. An answer without it is the edge's, or of a
 * service that broke on the call.
 */
export const gatewayHeader = "x-switchyard-gateway";

/**
 * What became of a call: its answer, of which no byte was read yet, or the error code of its
 * connection; null if it has none.
 */
export type CallOutcome =
  | { type: "answered"; status: number; isOfGateway: boolean }
  | { type: "failed"; code: string | null };

/** What the edge answers without a service behind it, and a service whose objects are reset. */
const awayStatuses: readonly number[] = [500, 502, 503, 504, 520, 521, 522, 523, 524, 525, 526, 527, 530];

/**
 * The codes of connections that were not made, or ended before an answer. An answer that takes too
 * long is not among them.
 */
const awayCodes: readonly string[] = [
  ...["ECONNREFUSED", "ECONNRESET", "ECONNABORTED", "EPIPE", "ETIMEDOUT", "EHOSTUNREACH", "ENETUNREACH"],
  ...["ENOTFOUND", "EAI_AGAIN", "UND_ERR_CONNECT_TIMEOUT", "UND_ERR_SOCKET"],
];

/**
 * True if the service was away. A failure that the gateway passes on, such as a provider's 503, is
 * none.
 */
export function isAbsence(outcome: CallOutcome): boolean {
  return outcome.type === "failed"
    ? outcome.code !== null && awayCodes.includes(outcome.code)
    : !outcome.isOfGateway && awayStatuses.includes(outcome.status);
}

/**
 * How long a model call waits for the service. A turn without any sign of life is ended soon after.
 */
export const longestAbsenceMs = turnSilenceMs - 10_000;

const firstPauseMs = 100;
/** A service that came back is not left to wait much longer than this. */
const longestPauseMs = 3_000;

/**
 * The pause before a call is tried again, in milliseconds; null once the wait has taken too long.
 * `tries` is the number of tries until now, and `random`, from 0 to 1, keeps the calls of many
 * sandboxes from coming back together.
 */
export function pauseBeforeRetry(tries: number, waitedMs: number, random: number): number | null {
  const leftMs = longestAbsenceMs - waitedMs;
  if (leftMs <= 0) return null;
  const pauseMs = Math.min(firstPauseMs * 2 ** (tries - 1), longestPauseMs) * (0.5 + random);
  return Math.min(pauseMs, leftMs);
}

/** Why a turn ends during whose model call the service did not come back. */
export const serviceAway: CallFailure = {
  code: "service_away",
  message: "Switchyard was away for about two minutes, such as for an update. Send the message again to continue.",
};
