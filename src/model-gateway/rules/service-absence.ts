// Absences of the service, caused by a deployment or a restart, as the agent's model calls see
// them: which outcome of a call is an absence, and how long the agent waits for the service to come
// back.
import { getBackoffMs } from "../../rules/backoff.ts";
import { turnSilenceMs } from "../../rules/limits.ts";
import type { CallFailure } from "./failure.ts";

/**
 * The header of every response of the model gateway. A response without it comes from the edge, or
 * from a service that failed during the call.
 */
export const gatewayHeader = "x-switchyard-gateway";

/**
 * The outcome of a call: its response, of which nothing was read yet, or the error code of its
 * connection, which is null if there is none.
 */
export type CallOutcome =
  | { type: "answered"; status: number; isOfGateway: boolean }
  | { type: "failed"; code: string | null };

/**
 * The statuses of the edge if it reaches no service, and of a service whose objects are being
 * reset.
 */
const awayStatuses: readonly number[] = [500, 502, 503, 504, 520, 521, 522, 523, 524, 525, 526, 527, 530];

/**
 * The error codes of connections that were not established, or ended before a response. A response
 * that takes too long is not included.
 */
const awayCodes: readonly string[] = [
  ...["ECONNREFUSED", "ECONNRESET", "ECONNABORTED", "EPIPE", "ETIMEDOUT", "EHOSTUNREACH", "ENETUNREACH"],
  ...["ENOTFOUND", "EAI_AGAIN", "UND_ERR_CONNECT_TIMEOUT", "UND_ERR_SOCKET"],
];

/**
 * True if the service was unavailable. A failure that the gateway forwards, such as a provider's
 * 503, is not an absence.
 */
export function isAbsence(outcome: CallOutcome): boolean {
  return outcome.type === "failed"
    ? outcome.code !== null && awayCodes.includes(outcome.code)
    : !outcome.isOfGateway && awayStatuses.includes(outcome.status);
}

/**
 * How long a model call waits for the service. A turn without a sign of life is ended soon after.
 */
export const longestAbsenceMs = turnSilenceMs - 10_000;

/** The maximum limits how long a call waits after the service has come back. */
const pauses = { firstMs: 100, longestMs: 3_000 };

/**
 * The pause before the next attempt, in milliseconds; null once the wait has taken too long.
 * `tries` is the number of attempts so far. `random`, from 0 to 1, keeps the calls of many
 * sandboxes from returning at the same time.
 */
export function findModelRetryDelayMs(tries: number, waitedMs: number, random: number): number | null {
  const leftMs = longestAbsenceMs - waitedMs;
  if (leftMs <= 0) return null;
  return Math.min(getBackoffMs(tries, pauses) * (0.5 + random), leftMs);
}

/** The failure of a turn if the service did not come back during its model call. */
export const serviceAway: CallFailure = {
  code: "service_away",
  message:
    "Switchyard was unavailable for about two minutes, for example because of an update. Send the message again to continue.",
};
