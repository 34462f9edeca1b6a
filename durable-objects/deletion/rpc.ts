// The face of a removal object: what others ask of it.
import type { RemovalName } from "../../src/deletion/rules/deletion.ts";

/**
 * The removal object: one per deleted workspace or project. It removes what that held, in pages,
 * until nothing is left.
 */
export interface RemovalRpc extends Rpc.DurableObjectBranded {
  /** Starts the removal, or continues it if its alarm was lost. */
  begin(name: RemovalName): Promise<void>;
}
