// The interfaces of the objects that send push notifications.
import type { Notification } from "../../src/notification/rules/notification.ts";
import type { Refusal } from "../../src/rules/refusal.ts";

/**
 * The notification object: one per notification. It sends the notification to each device, retries
 * failures, and stops after an hour.
 */
export interface NotificationRpc extends Rpc.DurableObjectBranded {
  /**
   * Starts sending, or continues if the alarm was lost. A notification that every device has
   * received is not sent again.
   */
  start(notice: Notification): Promise<void>;
}

/**
 * The APNs token object: one per key at the push service, which accepts at most one new token
 * in 20 minutes.
 */
export interface ApnsTokenRpc extends Rpc.DurableObjectBranded {
  /** The token for all senders, other than the one that the push service refused. */
  token(refused?: string): Promise<string | Refusal>;
}
