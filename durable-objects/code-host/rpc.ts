// The interface of a code host token object.

import type { Webhook } from "../../src/code-host/rules/webhook.ts";
import type { RepositoryRef } from "../../src/project/rules/repository.ts";
import type { Refusal } from "../../src/rules/refusal.ts";

/**
 * The code host token object: one per repository, so that all callers share one request for its
 * token.
 */
export interface CodeHostTokenRpc extends Rpc.DurableObjectBranded {
  /** A token for the repository, other than the one that the code host refused. */
  token(ref: RepositoryRef, refused?: string): Promise<string | Refusal>;
  /**
   * The repository's current name at the code host, which is also recorded for its projects. Null
   * if the code host does not return it.
   */
  nameNow(ref: RepositoryRef): Promise<string | null>;
}

/** The inbox of a repository: it stores each webhook of the repository until it is processed. */
export interface WebhookInboxRpc extends Rpc.DurableObjectBranded {
  /** Stores a delivery once, however often it arrives. Returns before the delivery is processed. */
  receive(delivery: string, webhook: Webhook): Promise<void>;
  /** Continues with the waiting deliveries, if the alarm was lost. */
  wake(): Promise<void>;
}
