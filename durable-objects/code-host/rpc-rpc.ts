// The interface of a code host inbox.
import type { Webhook } from "../../src/code-host/rules/webhook.ts";

/** The inbox of a repository: it keeps each webhook of the repository until it was worked through. */
export interface CodeHostInboxRpc extends Rpc.DurableObjectBranded {
  /** Keeps a delivery, once however often it comes, and answers before it is worked through. */
  keep(delivery: string, webhook: Webhook): Promise<void>;
  /** Goes on with what waits, if the alarm was lost. */
  poke(): Promise<void>;
}
