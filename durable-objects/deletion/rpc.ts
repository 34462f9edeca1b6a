// The interface of a deletion object.
import type { DeletionName } from "../../src/deletion/rules/deletion.ts";

/**
 * The object that deletes a workspace or a project, one for each. It deletes the contents in pages,
 * until nothing is left.
 */
export interface DeletionRpc extends Rpc.DurableObjectBranded {
  /** Starts the deletion, or continues it if its alarm was lost. */
  begin(name: DeletionName): Promise<void>;
}
