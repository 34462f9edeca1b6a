// A model call under the terms of its turn. A long one is passed on as it comes in, and broken off before its end if the terms do not cover it.
import { type CallRefusal, type CallTerms, checkModelCall } from "../rules/model/model-grant.ts";
import { openCallReader } from "./call-fields.ts";

/** Sends a call that its terms cover; answers the refusal of any other, of which no provider has had the last bytes. */
export async function sendGranted(
  request: Request,
  terms: CallTerms,
  send: (request: Request) => Promise<Response>,
): Promise<Response | CallRefusal> {
  const encoding = request.headers.get("content-encoding") ?? "identity";
  if (request.body === null || encoding !== "identity") return unreadable;
  const { method, headers, signal } = request;
  if (lengthIn(headers) <= wholeBytesMax) {
    const body = await request.arrayBuffer();
    const reader = openCallReader();
    const isRead = reader.read(new Uint8Array(body)) && reader.isWhole();
    const refusal = isRead ? checkModelCall(terms, reader.fields) : unreadable;
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
  return refusal ?? unreadable;
}

/** A call up to this length is read whole before it is sent on: watching a stream takes longer, and more of the processor. */
const wholeBytesMax = 256 * 1_024;

const unreadable: CallRefusal = {
  code: "unreadable_call",
  message: "A model call is one JSON object, uncompressed, in which no field stands twice.",
};

/**
 * Passes a call on. Its end is passed on only after the whole call was found to be covered. What is left of a call that is not is read
 * before it is refused: a client that is still sending would not see why.
 */
function watch(terms: CallTerms, onRefused: (refusal: CallRefusal) => void): TransformStream<Uint8Array, Uint8Array> {
  const reader = openCallReader();
  let refusal: CallRefusal | null = null;
  return new TransformStream({
    transform(chunk, controller) {
      if (!reader.read(chunk)) refusal = unreadable;
      else if (reader.isWhole()) refusal = checkModelCall(terms, reader.fields);
      if (refusal === null) controller.enqueue(chunk);
    },
    flush() {
      refusal ??= reader.isWhole() ? null : unreadable;
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
