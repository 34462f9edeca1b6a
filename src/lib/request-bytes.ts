// Reads the bytes of a request, up to a limit and within the memory for bodies.
import { bodyStallMs, bodyWaitMs } from "../rules/limits.ts";
import { type Refusal, refuse, refuseField } from "../rules/refusal.ts";
import { type BodyMemory, bodyMemory, memoryIsFull, receiveBytes } from "./byte-budget.ts";
import { type BodyTimeouts, findStreamRefusal, readBodyBytes } from "./byte-stream.ts";

/** A body that exceeds the limit this many times is not read to its end. */
const drainedTimes = 4;

interface BytesOptions extends BodyTimeouts {
  memory?: BodyMemory;
}

/**
 * Reads a body, up to a limit. Memory is reserved for the bytes received, regardless of the
 * declared length, and stays reserved until `releaseBytes`.
 */
export async function readBytes(
  request: Request,
  maxBytes: number,
  { memory = bodyMemory, wholeMs = bodyWaitMs, stallMs = bodyStallMs }: BytesOptions = {},
): Promise<Uint8Array<ArrayBuffer> | Refusal> {
  const held = receiveBytes(request, Math.min(maxBytes, getAnnouncedBytes(request)), memory);
  let bytes = 0;
  let refusal: Refusal | null = null;
  try {
    for await (const chunk of request.body ? readBodyBytes(request.body, { wholeMs, stallMs }) : []) {
      bytes += chunk.length;
      if (bytes > maxBytes) refusal = refuse("PAYLOAD_TOO_LARGE");
      // The rest is read and discarded, because a client that is still sending may never read the
      // response.
      if (bytes > maxBytes * drainedTimes) break;
      if (refusal === null && !held.add(chunk)) refusal = memoryIsFull;
    }
  } catch (error) {
    refusal = findStreamRefusal(error) ?? refuseField("", "broke off before its end");
  }
  if (refusal === null) return held.bytes();
  held.drop();
  return refusal;
}

/** The declared length of a body, which it never exceeds; infinite if none is declared. */
export function getAnnouncedBytes({ headers }: Request): number {
  const length = Number.parseInt(headers.get("content-length") ?? "", 10);
  return length >= 0 ? length : Number.POSITIVE_INFINITY;
}
