// Begins a removal that is recorded already.
import { removalObject } from "../../durable-objects/address.ts";
import type { Env } from "../env.ts";
import { reasonOf } from "../lib/error-text.ts";
import type { RemovalName } from "./rules/deletion.ts";

/** Never throws: where the object cannot be reached now, the sweep begins the removal. */
export async function beginRemoval(env: Pick<Env, "REMOVAL">, removal: RemovalName): Promise<void> {
  await removalObject(env, removal)
    .begin(removal)
    .catch((error: unknown) => console.error("a removal is left to the sweep", removal.id, reasonOf(error)));
}
