// The interfaces of the objects behind push notices.
import type { Notice } from "../../src/notification/rules/notification.ts";
import type { Refusal } from "../../src/rules/refusal.ts";

/**
 * The notice object: one per notice. It sends the notice to each device, again where that fails,
 * and gives up after an hour.
 */
export interface NoticeRpc extends Rpc.DurableObjectBranded {
  /**
   * Starts sending, or goes on if its alarm was lost. A notice that every device has is not sent
   * again.
   */
  begin(notice: Notice): Promise<void>;
}

/**
 * The provider token object: one per key at the push service, which takes no more than a new token
 * in 20 minutes.
 */
export interface ProviderTokenRpc extends Rpc.DurableObjectBranded {
  /** The token for all senders, other than the one that the push service refused. */
  token(refused?: string): Promise<string | Refusal>;
}
