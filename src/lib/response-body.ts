// Bodies of responses from other services, such as code hosts and model providers, read up to a
// limit. Nothing else limits what such a service sends, and objects that read it share their
// isolate with other tenants.
import { bodyWaitMs, errorBodyBytes, errorBodyMs } from "../rules/limits.ts";
import { type BodyTimeouts, readBodyBytes } from "./byte-stream.ts";

/**
 * Reads the text of an error. For a long or a slow one, returns the start and cancels the rest.
 * Never throws: an interrupted error returns the text received so far.
 */
export async function readErrorText(response: Response): Promise<string> {
  let text = "";
  try {
    for await (const piece of textWithin(response, errorBodyBytes, { wholeMs: errorBodyMs })) text += piece;
  } catch {
    // The text received so far is the result.
  }
  return text;
}

/** Reads the text of a response. Throws if it is too long, and cancels the rest. */
export async function readResponseText(response: Response, maxBytes: number): Promise<string> {
  let text = "";
  for await (const piece of textWithin(response, maxBytes, { wholeMs: bodyWaitMs, stallMs: bodyWaitMs })) text += piece;
  return text;
}

/**
 * Reads a JSON response, which is not validated against `Value`. Throws if it is too long or is not
 * JSON.
 */
export async function readResponseJson<Value>(response: Response, maxBytes: number): Promise<Value> {
  return JSON.parse(await readResponseText(response, maxBytes)) as Value;
}

/**
 * Yields the text of a body in pieces, up to a limit. Beyond the limit, it cancels the rest and
 * throws an error.
 */
async function* textWithin({ body }: Response, maxBytes: number, timeouts: BodyTimeouts): AsyncGenerator<string, void> {
  if (body === null) return;
  const decoder = new TextDecoder();
  let left = maxBytes;
  for await (const chunk of readBodyBytes(body, timeouts)) {
    yield decoder.decode(chunk.subarray(0, left), { stream: true });
    left -= chunk.length;
    if (left < 0) break;
  }
  if (left < 0) {
    // Not awaited, because a service that sends endlessly may not acknowledge it.
    body.cancel().catch(() => undefined);
    throw new Error(`the body has more than ${maxBytes} bytes`);
  }
  yield decoder.decode();
}
