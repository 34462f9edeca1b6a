// Starts a deletion that has already been recorded.
import { getDeletionObject } from "../../durable-objects/address.ts";
import type { Env } from "../env.ts";
import { log } from "../lib/log.ts";
import type { DeletionName } from "./rules/deletion.ts";

/** Never throws: if the object cannot be reached now, the sweep starts the deletion. */
export async function startDeletion(
  env: Pick<Env, "DELETION" | "JURISDICTION">,
  deletion: DeletionName,
): Promise<void> {
  await getDeletionObject(env, deletion)
    .start(deletion)
    .catch((error: unknown) => log.warn("deletion.start_delayed", { deletes: deletion.type, id: deletion.id, error }));
}
