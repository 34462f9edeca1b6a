// Starts a deletion that has already been recorded.
import { getDeletionObject } from "../../durable-objects/address.ts";
import type { Env } from "../env.ts";
import { log } from "../lib/log.ts";
import type { RemovalName } from "./rules/deletion.ts";

/** Never throws: if the object cannot be reached now, the sweep starts the deletion. */
export async function startDeletion(env: Pick<Env, "DELETION">, removal: RemovalName): Promise<void> {
  await getDeletionObject(env, removal)
    .begin(removal)
    .catch((error: unknown) => log.warn("deletion.start_delayed", { deletes: removal.type, id: removal.id, error }));
}
