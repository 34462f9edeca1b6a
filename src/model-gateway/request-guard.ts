// A model call under the terms of its turn. A long one is passed on as it comes in, and broken off
// before its end if the terms do not cover it.
import type { CallRefusal } from "../model/rules/grant.ts";
import { checkCallHead, openCallCheck, type WireTerms } from "./call-check.ts";
import { unreadableCall } from "./call-reader.ts";

/**
 * Sends a call that its terms cover; answers the refusal of any other, of which no provider has had
 * the last bytes.
 */
export async function sendGranted(
  request: Request,
  terms: WireTerms,
  send: (request: Request) => Promise<Response>,
): Promise<Response | CallRefusal> {
  const { method, headers, signal } = request;
  const outside = checkCallHead(terms, request);
  if (outside) return outside;
  if (request.body === null) return unreadableCall;
  if (lengthIn(headers) <= wholeBytesMax) {
    const body = await request.arrayBuffer();
    const check = openCallCheck(terms);
    const refusal = check.read(new Uint8Array(body)) ?? check.end();
    return refusal ?? (await send(new Request(request.url, { method, headers, signal, body })));
  }
  let refusal: CallRefusal | null = null;
  const watched = request.body.pipeThrough(
    watch(terms, (found) => {
      refusal = found;
    }),
  );
  const answer = await send(new Request(request.url, { method, headers, signal, body: sized(watched, headers) })).catch(
    (error: unknown) => {
      if (refusal === null) throw error;
      return null;
    },
  );
  if (refusal === null && answer !== null) return answer;
  await answer?.body?.cancel();
  return refusal ?? unreadableCall;
}

/**
 * A call up to this length is read whole before it is sent on: watching a stream takes longer, and
 * more of the processor.
 */
const wholeBytesMax = 256 * 1_024;

/**
 * Passes a call on. Its end is passed on only after the whole call was found to be covered. What is
 * left of a call that is not is read before it is refused: a client that is still sending would not
 * see why.
 */
function watch(terms: WireTerms, onRefused: (refusal: CallRefusal) => void): TransformStream<Uint8Array, Uint8Array> {
  const check = openCallCheck(terms);
  let refusal: CallRefusal | null = null;
  return new TransformStream({
    transform(chunk, controller) {
      refusal ??= check.read(chunk);
      if (refusal === null) controller.enqueue(chunk);
    },
    flush() {
      refusal ??= check.end();
      if (refusal === null) return;
      onRefused(refusal);
      throw new Error(refusal.message);
    },
  });
}

/** Keeps the length that the call came with, for a provider that takes no body without one. */
function sized(body: ReadableStream<Uint8Array>, headers: Headers): ReadableStream<Uint8Array> {
  const length = lengthIn(headers);
  return Number.isFinite(length) ? body.pipeThrough(new FixedLengthStream(length)) : body;
}

/** The length that a call says it has; infinite if it says none. */
function lengthIn(headers: Headers): number {
  const length = Number.parseInt(headers.get("content-length") ?? "", 10);
  return Number.isSafeInteger(length) ? length : Number.POSITIVE_INFINITY;
}
