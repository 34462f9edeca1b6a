// Reading what a caller sends: bounded JSON, and fields whose shape is checked before use.
import type { IncomingMessage } from "node:http";
import { refusal } from "./refusal.ts";

export type Fields = Record<string, unknown>;

/** The JSON object in a request's body. */
export async function readFields(request: IncomingMessage, limitBytes: number): Promise<Fields> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request) {
    const part = Buffer.from(chunk);
    bytes += part.length;
    if (bytes > limitBytes) throw refusal("BAD_CALL", `The body is larger than ${limitBytes} bytes.`);
    chunks.push(part);
  }
  return toFields(parse(Buffer.concat(chunks).toString("utf8")), "The body");
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw refusal("BAD_CALL", "The body is not JSON.");
  }
}

/** The value as an object; `what` names it in the refusal. */
export function toFields(value: unknown, what: string): Fields {
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw refusal("BAD_CALL", `${what} is not an object.`);
  return Object.fromEntries(Object.entries(value));
}

/** The text in a field. */
export function textField(fields: Fields, name: string): string {
  const value = fields[name];
  if (typeof value !== "string") throw refusal("BAD_CALL", `\`${name}\` is not a text.`);
  return value;
}

/** The text in a field that may be null or absent. */
export function nullableText(fields: Fields, name: string): string | null {
  return fields[name] === null || fields[name] === undefined ? null : textField(fields, name);
}

/** The whole number in a field, at least `least`. */
export function numberField(fields: Fields, name: string, least = 1): number {
  const value = fields[name];
  if (typeof value !== "number" || !Number.isSafeInteger(value) || value < least)
    throw refusal("BAD_CALL", `\`${name}\` is not a whole number from ${least} on.`);
  return value;
}

/** Ids become file names. */
const idPattern = /^[A-Za-z0-9_-]{1,100}$/;

/** A text that may be a file name. */
export function checkId(id: string): string {
  if (!idPattern.test(id)) throw refusal("BAD_CALL", "An id holds letters, digits, `-` and `_` alone.");
  return id;
}

/** The address of a server in a field. */
export function urlField(fields: Fields, name: string): string {
  const url = textField(fields, name);
  if (!/^(http|ws)s?:$/.test(URL.parse(url)?.protocol ?? "")) throw refusal("BAD_CALL", `\`${name}\` is no address.`);
  return url;
}

/** The texts in a field. */
export function textsField(fields: Fields, name: string): string[] {
  const value = fields[name];
  if (!Array.isArray(value)) throw refusal("BAD_CALL", `\`${name}\` is not a list.`);
  return value.map((item: unknown) => {
    if (typeof item !== "string") throw refusal("BAD_CALL", `\`${name}\` holds something other than texts.`);
    return item;
  });
}

/** The names and texts in a field, as an environment has them. */
export function environmentField(fields: Fields, name: string): Record<string, string> {
  const entries = Object.entries(toFields(fields[name], `\`${name}\``));
  return Object.fromEntries(
    entries.map(([key, value]) => {
      if (typeof value !== "string" || !/^[A-Za-z_][A-Za-z0-9_]*$/.test(key) || value.includes("\0")) {
        throw refusal("BAD_CALL", `\`${name}\` holds something that no environment can hold.`);
      }
      return [key, value];
    }),
  );
}
