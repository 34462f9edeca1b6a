// Picks a few values out of JSON as it streams by, so that a body of megabytes is neither held nor
// parsed.

const [quote, backslash, comma, colon] = [0x22, 0x5c, 0x2c, 0x3a];
const [openArray, closeArray, openObject, closeObject] = [0x5b, 0x5d, 0x7b, 0x7d];
const whitespace = [0x20, 0x09, 0x0a, 0x0d];

/** A longer value is left out. What is picked is short. */
const pickedBytesMax = 16 * 1_024;
/** What is nested deeper is read no further, because each bracket that is open is held. */
const depthMax = 1_000;
/** A longer name is none that is asked for. */
const nameBytesMax = 64;

export interface JsonPicker {
  read(bytes: Uint8Array): void;
  /** The values found so far, by path; of a repeated one, the last. */
  picked(): ReadonlyMap<string, unknown>;
  /**
   * True if all that was opened has been closed again. False for a body that breaks off, and for an
   * empty one.
   */
  isWhole(): boolean;
}

/**
 * Opens a picker of the values at these paths, such as `usage` or `message.usage`. What is no JSON
 * gives no values. Where both a path and another inside of it are asked for, the first gives a
 * value only if that is no object.
 */
export function openJsonPicker(paths: readonly string[], valueBytesMax = pickedBytesMax): JsonPicker {
  const found = new Map<string, unknown>();
  const deepest = Math.max(...paths.map((path) => path.split(".").length));
  /** The names of the members that are open, from the outermost. */
  const names: string[] = [];
  /** The brackets that are open. Those below the deepest path are only counted. */
  const open: number[] = [];
  let hasBegun = false;
  let inString = false;
  let isEscaped = false;
  let expectsName = false;
  /** The bytes of a name, or of a value that is picked; null while neither is read. */
  let captured: number[] | null = null;
  let isName = false;
  /** The path of the value that is captured, and how many brackets were open before it. */
  let capture: { path: string; depth: number } | null = null;

  const isNearTop = () => open.length <= deepest;
  const take = (byte: number) => {
    if (captured !== null && captured.length <= (isName ? nameBytesMax : valueBytesMax)) captured.push(byte);
  };

  /**
   * True at the beginning of a value of which parts are asked for, so that it is not taken whole.
   */
  function isAskedInside(): boolean {
    const path = capture?.path;
    return captured?.length === 0 && paths.some((other) => other.startsWith(`${path}.`));
  }

  function beginValue(): void {
    if (capture !== null || !isNearTop() || open.at(-1) !== openObject) return;
    const path = names.slice(0, open.length).join(".");
    if (!paths.includes(path)) return;
    capture = { path, depth: open.length };
    captured = [];
  }

  function endValue(): void {
    if (capture === null || open.length !== capture.depth || captured === null) return;
    const value = captured.length > valueBytesMax ? undefined : parsed(captured);
    if (value !== undefined) found.set(capture.path, value);
    capture = null;
    captured = null;
  }

  function readOutside(byte: number): void {
    switch (byte) {
      case quote:
        inString = true;
        if (expectsName && capture === null && isNearTop()) [captured, isName] = [[], true];
        take(byte);
        return;
      case openObject:
      case openArray:
        if (isAskedInside()) capture = captured = null;
        take(byte);
        hasBegun = true;
        open.push(byte);
        expectsName = byte === openObject;
        return;
      case closeObject:
      case closeArray:
        endValue();
        open.pop();
        names.length = Math.min(names.length, open.length);
        expectsName = false;
        take(byte);
        return;
      case comma:
        endValue();
        expectsName = open.at(-1) === openObject;
        take(byte);
        return;
      case colon:
        expectsName = false;
        take(byte);
        beginValue();
        return;
      default:
        if (!whitespace.includes(byte)) take(byte);
    }
  }

  /**
   * Continues a string, and returns the next position. One that is not captured is skipped up to
   * its next quote.
   */
  function readString(bytes: Uint8Array, from: number): number {
    if (captured === null && !isEscaped) {
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
    take(byte);
    if (isEscaped) isEscaped = false;
    else if (byte === backslash) isEscaped = true;
    else if (byte === quote) endString();
    return from + 1;
  }

  function endString(): void {
    inString = false;
    if (!isName) return;
    const name = captured === null || captured.length > nameBytesMax ? "" : parsed(captured);
    names[open.length - 1] = typeof name === "string" ? name : "";
    [captured, isName] = [null, false];
  }

  return {
    read(bytes) {
      for (let at = 0; at < bytes.length && open.length <= depthMax; ) {
        if (inString) at = readString(bytes, at);
        else readOutside(bytes[at++] ?? 0);
      }
    },
    picked: () => found,
    isWhole: () => hasBegun && open.length === 0 && !inString,
  };
}

const decoder = new TextDecoder();

/** Undefined for what is no JSON. */
function parsed(bytes: number[]): unknown {
  try {
    return JSON.parse(decoder.decode(new Uint8Array(bytes)));
  } catch {
    return undefined;
  }
}
