// The interface of a code host access object.
import type { Refusal } from "../../src/rules/refusal.ts";

/** The code host access object: one per repository, so that its token is asked for once, however many need it. */
export interface CodeHostAccessRpc extends Rpc.DurableObjectBranded {
  /** A token for the repository, other than the one that the code host refused. */
  token(repository: string, refused?: string): Promise<string | Refusal>;
}
