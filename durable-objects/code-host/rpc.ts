// The interface of a code host access object.

import type { Webhook } from "../../src/code-host/rules/webhook.ts";
import type { RepositoryRef } from "../../src/project/rules/repository.ts";
import type { Refusal } from "../../src/rules/refusal.ts";

/**
 * The code host access object: one per repository, so that its token is asked for once, however
 * many need it.
 */
export interface CodeHostAccessRpc extends Rpc.DurableObjectBranded {
  /** A token for the repository, other than the one that the code host refused. */
  token(ref: RepositoryRef, refused?: string): Promise<string | Refusal>;
  /**
   * The repository's name at the code host now, which its projects get too; null where the code
   * host does not tell it.
   */
  nameNow(ref: RepositoryRef): Promise<string | null>;
}

// The interface of a code host inbox.

/**
 * The inbox of a repository: it keeps each webhook of the repository until it was worked through.
 */
export interface CodeHostInboxRpc extends Rpc.DurableObjectBranded {
  /** Keeps a delivery, once however often it comes, and answers before it is worked through. */
  keep(delivery: string, webhook: Webhook): Promise<void>;
  /** Goes on with what waits, if the alarm was lost. */
  poke(): Promise<void>;
}
