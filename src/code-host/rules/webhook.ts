// The webhooks of the code host: their content, when a failed one is tried again, and how long its
// id is remembered.
import { getBackoffMs } from "../../rules/backoff.ts";
import type { CheckEvent, CodeHostEvent, PullRequestEvent } from "../../session/rules/pull-request/code-host-event.ts";
import type { ReviewEvent } from "../../session/rules/pull-request/review-event.ts";

/** A parsed webhook: the event that sessions handle, and the branches that it concerns. */
export type Webhook =
  | {
      type: "report";
      repository: WebhookRepository;
      branches: string[];
      event: CheckEvent | PullRequestEvent | ReviewEvent;
    }
  /**
   * A check of a commit without a pull request. It concerns the branch only while the commit is its
   * head, which the webhook does not contain.
   */
  | { type: "check-of-branch"; repository: WebhookRepository; branch: string; event: CheckEvent }
  /** A person set a label on an issue, or assigned it. */
  | { type: "labeled"; repository: WebhookRepository; issue: LabeledIssue }
  /** Somebody wrote a comment, which may mention the service's app. */
  | { type: "commented"; repository: WebhookRepository; comment: HostComment }
  /** A person opened a pull request, marked it as ready, or set a label on it. */
  | { type: "proposed"; repository: WebhookRepository; pull: ProposedPullRequest }
  | { type: "push"; repository: WebhookRepository; branch: string; isForced: boolean }
  /** The repository has a new name or a new owner. */
  | { type: "renamed"; repository: WebhookRepository };

/** An issue as it was when a label was set on it, or when it was assigned. */
export interface LabeledIssue {
  number: number;
  url: string;
  title: string;
  body: string;
  /** The login of its author; null once the account is deleted. */
  author: string | null;
  /** How the code host relates its author to the repository. It gives no right. */
  association?: string | null;
  /** Empty for an assignment. */
  label: string;
  /** The login of whom it was assigned to; missing for a label. */
  assignee?: string;
  /** Who set the label, or assigned it. */
  by: { hostUserId: string; login: string };
}

/** A comment as it was written. */
export interface HostComment {
  /** In a conversation, on lines of a change, or the text of a review. */
  kind: "conversation" | "line" | "review";
  id: number;
  /** Its id for reactions. */
  nodeId: string;
  url: string;
  body: string;
  by: { hostUserId: string; login: string; isBot: boolean };
  /** How the code host relates its author to the repository. It gives no right. */
  association?: string | null;
  /** The lines that it is on, with their place; null if it is on none. */
  lines: string | null;
  /** The issue or the pull request. */
  on: {
    kind: "issue" | "pull_request";
    number: number;
    title: string;
    body: string;
    /** The login of its author; null once the account is deleted. */
    author: string | null;
  };
}

/** A pull request as it was when something happened to it. */
export interface ProposedPullRequest extends Omit<LabeledIssue, "label" | "assignee"> {
  /** The label that was set; null if it was opened or marked as ready. */
  label: string | null;
  /** All its labels. */
  labels: string[];
  /** True if its head is in another repository. */
  isFork: boolean;
  branch: string;
  base: string;
  sha: string;
}

/** A session or a project that a webhook concerns. */
export interface Concerned {
  type: "session" | "project";
  id: string;
}

/**
 * The recipients of a webhook that have not been notified yet, in order, and those that did not
 * respond. They are looked up once, at the first attempt.
 */
export interface WebhookProgress {
  left: Concerned[];
  failed: Concerned[];
  event: CodeHostEvent;
}

/** A webhook as an inbox stores it; with its progress after the first page. */
export type StoredWebhook = Webhook & { telling?: WebhookProgress };

/**
 * The repository of a webhook. Its id identifies it, because another repository may have had the
 * name before.
 */
export interface WebhookRepository {
  repository: string;
  repositoryId: number;
}

const pauses = { firstMs: 1_000, longestMs: 5 * 60_000 };

/** How long the service tries to handle a delivery, in milliseconds. */
export const deliveryTriedMs = 3 * 24 * 3_600_000;

/**
 * How long the id of a delivery is stored, so that the same delivery is not handled twice. GitHub
 * redelivers for three days. In milliseconds.
 */
export const deliveryKnownMs = 4 * 24 * 3_600_000;

/** A delivery whose handling has just failed. Times are milliseconds since the epoch. */
export interface FailedDelivery {
  receivedAt: number;
  /** The number of attempts, including the one that has just failed. */
  attempts: number;
}

/**
 * When a delivery is tried again: after pauses that double, up to five minutes. Null once three
 * days have passed since it arrived.
 */
export function findNextTryAt({ receivedAt, attempts }: FailedDelivery, now: number): number | null {
  if (now >= receivedAt + deliveryTriedMs) return null;
  return now + getBackoffMs(attempts, pauses);
}

const inboxBackoff = { firstMs: 50, longestMs: 1_000 };

/**
 * The pause of an inbox after this many consecutive failures, in milliseconds. A failure most often
 * affects all deliveries. If the database is unavailable, trying each of a thousand deliveries
 * would take the time needed to respond to new ones.
 */
export function getInboxDelayMs(failures: number): number {
  return getBackoffMs(failures, inboxBackoff);
}

/** One attempt of the code host to deliver a webhook, as its list reports it. */
export interface DeliveryAttempt {
  id: number;
  /** Identical for all attempts of one delivery. */
  guid: string;
  event: string;
  /** Milliseconds since the epoch. */
  deliveredAt: number;
  /** The status of the service's response; 0 if there was none. */
  statusCode: number;
}

/**
 * The newest attempt of each delivery that has never succeeded and that may succeed if it is sent
 * again.
 */
export function listMissedDeliveries(attempts: readonly DeliveryAttempt[]): DeliveryAttempt[] {
  const newest = new Map<string, DeliveryAttempt>();
  const through = new Set<string>();
  for (const attempt of attempts) {
    if (attempt.statusCode >= 200 && attempt.statusCode < 300) through.add(attempt.guid);
    const known = newest.get(attempt.guid);
    if (!known || known.deliveredAt < attempt.deliveredAt) newest.set(attempt.guid, attempt);
  }
  return [...newest.values()].filter(({ guid, statusCode }) => !through.has(guid) && isTemporary(statusCode));
}

/**
 * True for a failure that may not happen again. A webhook that the service rejects would be
 * rejected again.
 */
function isTemporary(statusCode: number): boolean {
  return statusCode === 429 || statusCode < 400 || statusCode >= 500;
}
