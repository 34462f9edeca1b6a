// The interface of a webhook object.
import type { Refusal } from "../../src/rules/refusal.ts";
import type { WebhookEvent } from "../../src/webhook/rules/event.ts";
import type { WebhookEventType } from "../../src/webhook/rules/event-types.ts";
import type { DeliveryStatus } from "../../src/webhook/rules/status.ts";

/** A delivery as the log lists it. */
export interface ListedDelivery {
  id: string;
  type: WebhookEventType;
  status: DeliveryStatus;
  createdAt: number;
  attempts: number;
  /** The status of the last response; null without one. */
  answerStatus: number | null;
  /** When it is tried next; null for one that does not wait. */
  nextAttemptAt: number | null;
}

export interface LoggedAttempt {
  at: number;
  milliseconds: number;
  status: number | null;
  error: string | null;
  answer: string | null;
}

export interface Delivery extends ListedDelivery {
  body: string;
  tried: LoggedAttempt[];
}

export interface DeliveryFilter {
  status?: DeliveryStatus | undefined;
  type?: string | undefined;
  page: number;
  pageSize: number;
}

/** How a webhook does, for lists. */
export interface WebhookHealth {
  lastDeliveredAt: number | null;
  lastFailedAt: number | null;
  waiting: number;
}

/**
 * The object of a webhook: one for each, so that a receiver that hangs holds up no other. It keeps
 * the queue, the attempts and the log.
 */
export interface WebhookRpc extends Rpc.DurableObjectBranded {
  /** Takes events, each id once. Returns before they are sent. */
  take(webhookId: string, events: readonly WebhookEvent[]): Promise<void>;
  /** Sends one event now, once, and returns its delivery. TOO_MANY_REQUESTS above the limit. */
  sendTest(webhookId: string, event: WebhookEvent): Promise<Delivery | Refusal>;
  /** Reads the webhook's row again before the next attempt. Drops what waits if it is disabled. */
  changed(webhookId: string): Promise<void>;
  health(): Promise<WebhookHealth>;
  list(filter: DeliveryFilter): Promise<{ deliveries: ListedDelivery[]; total: number }>;
  /** Null for an id that the log does not have. */
  read(id: string): Promise<Delivery | null>;
  /**
   * Sends a delivery again, from its first attempt on. False for an id that the log does not have.
   */
  resend(id: string): Promise<boolean>;
  /** Sends again what failed or was dropped in a time, oldest first. Returns how many. */
  recover(range: { since: number; until: number }): Promise<number>;
  /** Continues with what waits, if the alarm was lost. */
  wake(): Promise<void>;
  /** Deletes everything, because the webhook is deleted. */
  delete(): Promise<void>;
}
