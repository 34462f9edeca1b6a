// A streaming parser for multipart/form-data (RFC 7578). It yields one part after the other, and
// buffers only bytes that may start a boundary. Anything else is refused.

import { createStreamError } from "../lib/byte-stream.ts";
import { refuseField } from "../rules/refusal.ts";

export interface Part {
  /** The name of the field. */
  name: string;
  /** Null for a text field. */
  fileName: string | null;
  mediaType: string | null;
  bytes: AsyncIterable<Uint8Array>;
}

const headerBytes = 8_192;
const lineBreak = encoded("\r\n");
const endOfHeaders = encoded("\r\n\r\n");

/** The boundary of a Content-Type; null without one. */
export function findBoundary(contentType: string): string | null {
  const [, quoted, plain] = /;\s*boundary=(?:"([^"]{1,70})"|([^\s;"]{1,70}))\s*(?:;|$)/i.exec(contentType) ?? [];
  return quoted ?? plain ?? null;
}

/** Yields the parts of a body. The bytes of a part can be read until the next part is requested. */
export async function* readParts(body: AsyncIterable<Uint8Array>, boundary: string): AsyncGenerator<Part, void> {
  const input = createInput(body);
  const mark = encoded(`\r\n--${boundary}`);
  try {
    await skip(input.until(mark));
    for (;;) {
      const next = await input.peek(2);
      if (startsWith(next, encoded("--"))) return;
      if (!startsWith(next, lineBreak)) throw malformed("A boundary is followed by something else than a line break.");
      const headers = await readHeaders(input.until(endOfHeaders));
      const bytes = input.until(mark);
      yield { ...described(headers), bytes };
      await skip(bytes);
    }
  } finally {
    await input.close();
  }
}

type Input = ReturnType<typeof createInput>;

/** The buffer of received bytes that have not been read yet. */
function createInput(body: AsyncIterable<Uint8Array>) {
  const chunks = body[Symbol.asyncIterator]();
  // A boundary starts with a line break, which the first boundary may lack.
  let held: Uint8Array = lineBreak;

  async function more(): Promise<void> {
    const { done, value } = await chunks.next();
    if (done) throw malformed("The body ends before its last boundary.");
    const grown = new Uint8Array(held.length + value.length);
    grown.set(held);
    grown.set(value, held.length);
    held = grown;
  }

  function take(count: number): Uint8Array {
    const taken = held.subarray(0, count);
    held = held.subarray(count);
    return taken;
  }

  return {
    close: () => chunks.return?.(),
    /** The next bytes, without consuming them. */
    async peek(count: number): Promise<Uint8Array> {
      while (held.length < count) await more();
      return held.subarray(0, count);
    },
    /** Yields the bytes before a mark, and consumes the mark. */
    async *until(mark: Uint8Array): AsyncGenerator<Uint8Array, void> {
      for (;;) {
        const at = findIndex(held, mark);
        // The last bytes may be the start of the mark.
        const free = at >= 0 ? at : held.length - mark.length + 1;
        if (free > 0) yield take(free);
        if (at >= 0) {
          take(mark.length);
          return;
        }
        await more();
      }
    },
  };
}

async function readHeaders(bytes: ReturnType<Input["until"]>): Promise<Map<string, string>> {
  const decoder = new TextDecoder();
  let text = "";
  for await (const chunk of bytes) {
    text += decoder.decode(chunk, { stream: true });
    if (text.length > headerBytes) throw malformed("The headers of a part are too long.");
  }
  const headers = new Map<string, string>();
  for (const line of text.split("\r\n").slice(1)) {
    const [, name, value] = /^([\w-]+):[ \t]*(.*?)[ \t]*$/s.exec(line) ?? [];
    if (name === undefined || value === undefined || headers.has(name.toLowerCase())) {
      throw malformed("A part has a header that cannot be read.");
    }
    headers.set(name.toLowerCase(), value);
  }
  return headers;
}

function described(headers: Map<string, string>): Omit<Part, "bytes"> {
  const disposition = headers.get("content-disposition") ?? "";
  const name = parameter(disposition, "name");
  if (!/^form-data\s*;/i.test(disposition) || name === null) throw malformed("A part does not say which field it is.");
  const extended = /;\s*filename\*=utf-8''([^;\s]+)/i.exec(disposition)?.[1];
  return {
    name,
    fileName: (extended === undefined ? null : decoded(extended)) ?? parameter(disposition, "filename"),
    mediaType: headers.get("content-type") ?? null,
  };
}

/**
 * A quoted or unquoted parameter of a header. Clients escape a quotation mark as `%22` or as `\"`.
 */
function parameter(header: string, name: string): string | null {
  const [, quoted, plain] = new RegExp(`;\\s*${name}=(?:"((?:\\\\"|[^"])*)"|([^\\s;"]+))`, "i").exec(header) ?? [];
  const escapes: Record<string, string> = { "%22": '"', '\\"': '"', "%0d": "\r", "%0a": "\n" };
  return quoted?.replace(/%22|%0d|%0a|\\"/gi, (written) => escapes[written.toLowerCase()] ?? "") ?? plain ?? null;
}

function decoded(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}

function malformed(why: string): Error {
  return createStreamError(refuseField("", why, `The body is not well-formed multipart/form-data. ${why}`));
}

async function skip(bytes: AsyncIterable<Uint8Array>): Promise<void> {
  for await (const _ of bytes);
}

function findIndex(bytes: Uint8Array, mark: Uint8Array): number {
  for (let at = 0; at <= bytes.length - mark.length; at += 1) {
    let same = 0;
    while (same < mark.length && bytes[at + same] === mark[same]) same += 1;
    if (same === mark.length) return at;
  }
  return -1;
}

function startsWith(bytes: Uint8Array, mark: Uint8Array): boolean {
  return bytes.length >= mark.length && mark.every((byte, place) => bytes[place] === byte);
}

function encoded(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}
