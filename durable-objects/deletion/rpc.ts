// The interface of a deletion object.
import type { DeletionName } from "../../src/deletion/rules/deletion.ts";
import type { PersonProgress } from "../../src/deletion/rules/person-progress.ts";

/**
 * The object that deletes a workspace, project or person, one for each. It deletes the contents in
 * pages, until nothing is left.
 */
export interface DeletionRpc extends Rpc.DurableObjectBranded {
  /** Starts the deletion, or continues it if its alarm was lost. */
  start(name: DeletionName): Promise<void>;
  /** How far the deletion of a person is; null before its first page and after its end. */
  personProgress(): Promise<PersonProgress | null>;
}
