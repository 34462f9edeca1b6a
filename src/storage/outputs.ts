// Long tool outputs in R2. The transcript has only their beginning.
import type { TurnOwner } from "../rules/chat/turn-owner.ts";
import { putStream } from "./objects.ts";
import { ownerFolder } from "./owner-folder.ts";

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

/** Stores an output. Replaces an earlier one with the same id. */
export async function putOutput(store: R2Bucket, id: OutputId, bytes: AsyncIterable<Uint8Array>): Promise<void> {
  await putStream(store, keyOf(id), bytes, { contentType: "text/plain; charset=utf-8" });
}

/** Reads an output; null if none is stored. */
export async function getOutput(store: R2Bucket, id: OutputId): Promise<R2ObjectBody | null> {
  return await store.get(keyOf(id));
}

function keyOf({ owner, turnId, place }: OutputId): string {
  return `${ownerFolder(owner)}outputs/${turnId}/${place}`;
}
