// Enforces the terms of a turn on a model call. A long call is forwarded as it arrives, and aborted
// before its end if the terms do not cover it.
import type { CallRefusal } from "../model/rules/grant.ts";
import { checkCallHead, createCallCheck, type WireTerms } from "./call-check.ts";
import { unreadableCall } from "./call-reader.ts";

/**
 * Sends a call that its terms cover. Otherwise returns the refusal; the provider has then not
 * received the end of the call.
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
  if (getLength(headers) <= wholeBytesMax) {
    const body = await request.arrayBuffer();
    const check = createCallCheck(terms);
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
 * A call up to this length is read whole before it is forwarded, because checking a stream takes
 * more time and more CPU.
 */
const wholeBytesMax = 256 * 1_024;

/**
 * Forwards a call. The end of the call is forwarded only after the whole call was found to be
 * covered. If it is not covered, the rest is read before the refusal, because a client that is
 * still sending would not read the reason.
 */
function watch(terms: WireTerms, onRefused: (refusal: CallRefusal) => void): TransformStream<Uint8Array, Uint8Array> {
  const check = createCallCheck(terms);
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

/**
 * Sends the call with its declared length, for a provider that accepts no body without a length.
 */
function sized(body: ReadableStream<Uint8Array>, headers: Headers): ReadableStream<Uint8Array> {
  const length = getLength(headers);
  return Number.isFinite(length) ? body.pipeThrough(new FixedLengthStream(length)) : body;
}

/** The declared length of a call; infinite if none is declared. */
function getLength(headers: Headers): number {
  const length = Number.parseInt(headers.get("content-length") ?? "", 10);
  return Number.isSafeInteger(length) ? length : Number.POSITIVE_INFINITY;
}
