// The deciding fields of a model call, found in its JSON as it streams by. A conversation of megabytes is neither held nor parsed; what no
// strict parser takes is refused, for a lenient one at the provider could read other fields in it.
import { type CallFields, type DecidingField, decidingFields } from "../rules/model/model-grant.ts";

const [quote, backslash, comma, colon] = [0x22, 0x5c, 0x2c, 0x3a];
const [openArray, closeArray, openObject, closeObject] = [0x5b, 0x5d, 0x7b, 0x7d];
const whitespace = [0x20, 0x09, 0x0a, 0x0d];
/** What numbers, `true`, `false` and `null` are written with. */
const literal = new Set([..."0123456789+-.eEtruefalsn"].map((character) => character.charCodeAt(0)));
/** Longer than any deciding field or value, even where each of its characters is escaped. */
const capturedMax = 400;

export interface CallReader {
  /** Reads the next bytes. False once the call cannot be read. */
  read(bytes: Uint8Array): boolean;
  /** The fields found so far; a repeated one makes the call unreadable. */
  fields: CallFields;
  /** True when the whole object has been read. */
  isWhole(): boolean;
}

/** Reads a JSON object piece by piece. */
export function openCallReader(): CallReader {
  const fields = new Map<DecidingField, string | number | boolean | null | "composite">();
  let depth = 0;
  let isOver = false;
  let isBroken = false;
  let inString = false;
  let isEscaped = false;
  /** A member name of the outer object comes next. */
  let expectsName = false;
  /** The field whose value is being read. */
  let field: DecidingField | null = null;
  let captured = "";

  const isCapturing = () => depth === 1 && (expectsName || field !== null);
  const isNameAlone = () => expectsName && captured !== "";
  const capture = (byte: number) => {
    if (captured.length <= capturedMax) captured += String.fromCharCode(byte);
  };

  /** Called at the end of a name. Finds out whether its value matters. False for a name that parsers could read differently. */
  function endName(): boolean {
    expectsName = false;
    const name = captured.length > capturedMax ? "" : parsed(captured);
    captured = "";
    if (typeof name !== "string") return false;
    // Some parsers ignore case.
    const known = decidingFields.find((each) => each === name.toLowerCase());
    field = known ?? null;
    return known === undefined || (known === name && !fields.has(known));
  }

  function endValue(): boolean {
    if (field === null) return true;
    const value = captured === "composite" ? captured : captured.length > capturedMax ? undefined : parsed(captured);
    if (value === undefined) return false;
    fields.set(field, value);
    field = null;
    captured = "";
    return true;
  }

  function readOutside(byte: number): boolean {
    if (whitespace.includes(byte)) return true;
    if (depth === 0) {
      if (isOver || byte !== openObject) return false;
      depth = 1;
      expectsName = true;
      return true;
    }
    switch (byte) {
      case quote:
        inString = true;
        if (isCapturing()) capture(byte);
        return true;
      case openArray:
      case openObject:
        if (depth === 1 && expectsName) return false;
        if (depth === 1 && field !== null) captured = "composite";
        depth += 1;
        return true;
      case closeArray:
      case closeObject:
        depth -= 1;
        isOver = depth === 0;
        return !isOver || (byte === closeObject && !isNameAlone() && endValue());
      case comma:
        if (depth > 1) return true;
        if (expectsName || !endValue()) return false;
        expectsName = true;
        return true;
      case colon:
        return depth > 1 || (expectsName && endName());
      default:
        if (depth === 1 && field !== null) capture(byte);
        return literal.has(byte) && !(depth === 1 && expectsName);
    }
  }

  /** Continues a string, and returns the next position. A string that is not captured is skipped up to the next quote. */
  function readString(bytes: Uint8Array, from: number): number {
    if (!isCapturing() && !isEscaped) {
      const end = bytes.indexOf(quote, from);
      const stop = end < 0 ? bytes.length : end;
      let slashes = 0;
      while (stop - slashes > from && bytes[stop - slashes - 1] === backslash) slashes += 1;
      isEscaped = slashes % 2 === 1;
      if (end < 0) return stop;
      inString = isEscaped;
      isEscaped = false;
      return stop + 1;
    }
    const byte = bytes[from] ?? 0;
    if (isCapturing()) capture(byte);
    if (isEscaped) isEscaped = false;
    else if (byte === backslash) isEscaped = true;
    else if (byte === quote) inString = false;
    return from + 1;
  }

  return {
    fields,
    read(bytes) {
      for (let at = 0; at < bytes.length && !isBroken; ) {
        if (inString) at = readString(bytes, at);
        else isBroken = !readOutside(bytes[at++] ?? 0);
      }
      return !isBroken;
    },
    isWhole: () => isOver && !isBroken,
  };
}

/** The scalar that a text is in JSON; undefined for none. */
function parsed(text: string): string | number | boolean | null | undefined {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
