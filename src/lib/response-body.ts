// Bodies of responses from services outside, such as code hosts and model providers, read up to a
// limit. Nothing else bounds what such a service sends, and objects that read it share their
// isolate with other tenants.
import { bodyWaitMs, errorBodyBytes, errorBodyMs } from "../rules/limits.ts";
import { bytesOf, type Patience } from "./byte-stream.ts";

/**
 * Reads the text of an error. Of a long or a slow one it is the start, and the rest is cancelled.
 * Never throws: an error that breaks off says what came of it.
 */
export async function readErrorText(response: Response): Promise<string> {
  let text = "";
  try {
    for await (const piece of textWithin(response, errorBodyBytes, { wholeMs: errorBodyMs })) text += piece;
  } catch {
    // What came until then is the text.
  }
  return text;
}

/** Reads the text of a response. Throws for one that is longer, whose rest is cancelled. */
export async function readResponseText(response: Response, maxBytes: number): Promise<string> {
  let text = "";
  for await (const piece of textWithin(response, maxBytes, { wholeMs: bodyWaitMs, stallMs: bodyWaitMs })) text += piece;
  return text;
}

/**
 * Reads a response of JSON, which is not validated against `Value`. Throws for one that is longer,
 * and for anything else.
 */
export async function readResponseJson<Value>(response: Response, maxBytes: number): Promise<Value> {
  return JSON.parse(await readResponseText(response, maxBytes)) as Value;
}

/**
 * Yields the text of a body in pieces, up to a limit. Beyond it the rest is cancelled, and an error
 * thrown.
 */
async function* textWithin({ body }: Response, maxBytes: number, patience: Patience): AsyncGenerator<string, void> {
  if (body === null) return;
  const decoder = new TextDecoder();
  let left = maxBytes;
  for await (const chunk of bytesOf(body, patience)) {
    yield decoder.decode(chunk.subarray(0, left), { stream: true });
    left -= chunk.length;
    if (left < 0) break;
  }
  if (left < 0) {
    // Not awaited: a service that sends without an end may not acknowledge it.
    body.cancel().catch(() => undefined);
    throw new Error(`the body has more than ${maxBytes} bytes`);
  }
  yield decoder.decode();
}
