// Long outputs of tools in R2: what a transcript shows the beginning of, whole, under its turn and the place of its block.
import { putStream } from "./objects.ts";

export interface OutputPlace {
  sessionId: string;
  turnId: string;
  /** Of the tool's block in the turn, as text. */
  place: string;
}

/** True for the text form of a block's place. */
export function isOutputPlace(place: string): boolean {
  return /^(0|[1-9]\d{0,8})$/.test(place);
}

/** Keeps an output; the same place again replaces it. */
export async function putOutput(store: R2Bucket, where: OutputPlace, bytes: AsyncIterable<Uint8Array>): Promise<void> {
  await putStream(store, keyOf(where), bytes, { contentType: "text/plain; charset=utf-8" });
}

/** The output of a tool; null when none is kept there. */
export async function getOutput(store: R2Bucket, where: OutputPlace): Promise<R2ObjectBody | null> {
  return await store.get(keyOf(where));
}

function keyOf({ sessionId, turnId, place }: OutputPlace): string {
  return `sessions/${sessionId}/outputs/${turnId}/${place}`;
}
