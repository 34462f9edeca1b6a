// The webhooks of the code host: what they tell, when one that failed is tried again, and how long it is known.
import type { CheckEvent, PullRequestEvent } from "./pull-request/code-host-event.ts";

/** A parsed webhook: the event that sessions handle, and the branches that it concerns. */
export type Webhook =
  | { type: "report"; repository: WebhookRepository; branches: string[]; event: CheckEvent | PullRequestEvent }
  /** A check of a commit without a pull request. It concerns the branch only while the commit is its head, which the webhook does not contain. */
  | { type: "check-of-branch"; repository: WebhookRepository; branch: string; event: CheckEvent }
  | { type: "push"; repository: WebhookRepository; branch: string; isForced: boolean }
  /** The repository has a new name or a new owner. */
  | { type: "renamed"; repository: WebhookRepository };

/** The repository of a webhook. The id identifies it: another repository may have had the name before. */
export interface WebhookRepository {
  repository: string;
  repositoryId: number;
}

const firstPauseMs = 1_000;
const longestPauseMs = 5 * 60_000;
const triedForMs = 3 * 24 * 3_600_000;

/** How long the id of a delivery is known, so that the same one is not handled twice. GitHub redelivers for three days. In milliseconds. */
export const deliveryKnownMs = 4 * 24 * 3_600_000;

/** A delivery whose handling has just failed. Times are milliseconds since the epoch. */
export interface FailedDelivery {
  receivedAt: number;
  /** How often it was tried, with the try that has just failed. */
  attempts: number;
}

/** When a delivery is tried again: after pauses that double, up to five minutes; null three days after it came. */
export function nextTryAt({ receivedAt, attempts }: FailedDelivery, now: number): number | null {
  if (now >= receivedAt + triedForMs) return null;
  return now + Math.min(firstPauseMs * 2 ** Math.min(attempts - 1, 30), longestPauseMs);
}
