// Long tool outputs in R2. The transcript contains only their beginning.
import type { TurnOwner } from "../chat/rules/chat.ts";
import type { Refusal } from "../rules/refusal.ts";
import { type Storage, textMetadata, type Upload } from "./bodies.ts";
import { getOwnerFolder, writeStream } from "./objects.ts";
import { countStored, deleteSizesStatement, recordStoredSizes } from "./stored-objects.ts";

/** The id of a tool call's output. */
export interface OutputId {
  owner: TurnOwner;
  turnId: string;
  /** The index of the tool's block in the turn, in decimal. */
  place: string;
}

/** True for a block index in decimal. */
export function isBlockPlace(text: string): boolean {
  return /^(0|[1-9]\d{0,8})$/.test(text);
}

/** Stores an output, unless it may exceed the quota. Replaces an earlier one with the same id. */
export async function saveOutput(
  { DB, STORE }: Storage,
  id: OutputId,
  { bytes, mostBytes }: Pick<Upload, "bytes" | "mostBytes">,
): Promise<Refusal | null> {
  const key = getKey(id);
  const { owner } = id;
  const refusal = await countStored(DB, owner, [{ key, bytes: mostBytes }]);
  if (refusal) return refusal;
  try {
    const stored = await writeStream(STORE, key, bytes, textMetadata);
    if (stored !== mostBytes) await recordStoredSizes(DB, owner, [{ key, bytes: stored }]);
    return null;
  } catch (error) {
    // An earlier output may still exist.
    const left = await STORE.head(key);
    if (left) await recordStoredSizes(DB, owner, [{ key, bytes: left.size }]);
    else await deleteSizesStatement(DB, [key]).run();
    throw error;
  }
}

/** Reads an output; null if none is stored. */
export async function findOutput(store: R2Bucket, id: OutputId): Promise<R2ObjectBody | null> {
  return await store.get(getKey(id));
}

function getKey({ owner, turnId, place }: OutputId): string {
  return `${getOwnerFolder(owner)}outputs/${turnId}/${place}`;
}
