// The webhooks of the code host: what they tell, when one that failed is tried again, and how long
// it is known.
import { growingPause } from "../../rules/backoff.ts";
import type { CheckEvent, CodeHostEvent, PullRequestEvent } from "../../session/rules/pull-request/code-host-event.ts";

/** A parsed webhook: the event that sessions handle, and the branches that it concerns. */
export type Webhook =
  | { type: "report"; repository: WebhookRepository; branches: string[]; event: CheckEvent | PullRequestEvent }
  /**
   * A check of a commit without a pull request. It concerns the branch only while the commit is its
   * head, which the webhook does not contain.
   */
  | { type: "check-of-branch"; repository: WebhookRepository; branch: string; event: CheckEvent }
  | { type: "push"; repository: WebhookRepository; branch: string; isForced: boolean }
  /** The repository has a new name or a new owner. */
  | { type: "renamed"; repository: WebhookRepository };

/** A session or a project that a webhook concerns. */
export interface Concerned {
  type: "session" | "project";
  id: string;
}

/**
 * Those that are still to be told, in their order, and those that did not answer. They are looked
 * up once, when the webhook is first tried.
 */
export interface Telling {
  left: Concerned[];
  failed: Concerned[];
  event: CodeHostEvent;
}

/** A webhook as an inbox keeps it. */
export type KeptWebhook = Webhook & { telling?: Telling };

/**
 * The repository of a webhook. The id identifies it: another repository may have had the name
 * before.
 */
export interface WebhookRepository {
  repository: string;
  repositoryId: number;
}

const pauses = { firstMs: 1_000, longestMs: 5 * 60_000 };
const triedForMs = 3 * 24 * 3_600_000;

/**
 * How long the id of a delivery is known, so that the same one is not handled twice. GitHub
 * redelivers for three days. In milliseconds.
 */
export const deliveryKnownMs = 4 * 24 * 3_600_000;

/** A delivery whose handling has just failed. Times are milliseconds since the epoch. */
export interface FailedDelivery {
  receivedAt: number;
  /** How often it was tried, with the try that has just failed. */
  attempts: number;
}

/**
 * When a delivery is tried again: after pauses that double, up to five minutes; null three days
 * after it came.
 */
export function nextTryAt({ receivedAt, attempts }: FailedDelivery, now: number): number | null {
  if (now >= receivedAt + triedForMs) return null;
  return now + growingPause(attempts, pauses);
}

const rests = { firstMs: 50, longestMs: 1_000 };

/**
 * How long an inbox begins nothing after so many failures in a row, in milliseconds. What fails is
 * most often what all deliveries need: to try each of a thousand against a database that is away
 * would take the time in which the next ones are to be answered.
 */
export function restAfter(failures: number): number {
  return growingPause(failures, rests);
}

/** One attempt of the code host to deliver a webhook, as its list tells it. */
export interface DeliveryAttempt {
  id: number;
  /** The same for all attempts of one delivery. */
  guid: string;
  event: string;
  /** Milliseconds since the epoch. */
  deliveredAt: number;
  /** What the service answered; 0 if it did not. */
  statusCode: number;
}

/**
 * The newest attempt of each delivery that no attempt brought through, and that may come through if
 * it is sent again.
 */
export function missedDeliveries(attempts: readonly DeliveryAttempt[]): DeliveryAttempt[] {
  const newest = new Map<string, DeliveryAttempt>();
  const through = new Set<string>();
  for (const attempt of attempts) {
    if (attempt.statusCode >= 200 && attempt.statusCode < 300) through.add(attempt.guid);
    const known = newest.get(attempt.guid);
    if (!known || known.deliveredAt < attempt.deliveredAt) newest.set(attempt.guid, attempt);
  }
  return [...newest.values()].filter(({ guid, statusCode }) => !through.has(guid) && isPassing(statusCode));
}

/**
 * True for a failure that may not happen again. A webhook that the service refuses would be refused
 * again.
 */
function isPassing(statusCode: number): boolean {
  return statusCode === 429 || statusCode < 400 || statusCode >= 500;
}
