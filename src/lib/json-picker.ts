// Picks a few values out of streamed JSON, so that a body of megabytes is neither held in memory
// nor parsed.

const [quote, backslash, comma, colon] = [0x22, 0x5c, 0x2c, 0x3a];
const [openArray, closeArray, openObject, closeObject] = [0x5b, 0x5d, 0x7b, 0x7d];
const whitespace = [0x20, 0x09, 0x0a, 0x0d];

/** A longer value is skipped, because the requested values are short. */
const pickedBytesMax = 16 * 1_024;
/**
 * A text that is nested deeper is not read further, because each open bracket is held in memory.
 */
const depthMax = 1_000;
/** A longer name cannot be one of the requested names. */
const nameBytesMax = 64;

export interface JsonPicker {
  read(bytes: Uint8Array): void;
  /** The values found so far, by path. For a repeated path, the last value. */
  picked(): ReadonlyMap<string, unknown>;
  /**
   * True if everything that was opened has been closed. False for an incomplete body, and for an
   * empty one.
   */
  isWhole(): boolean;
}

/**
 * Creates a picker of the values at these paths, such as `usage` or `message.usage`. Invalid JSON
 * gives no values. If both a path and a path inside it are requested, the outer path gives a value
 * only if that is not an object.
 */
export function createJsonPicker(paths: readonly string[], valueBytesMax = pickedBytesMax): JsonPicker {
  const found = new Map<string, unknown>();
  const deepest = Math.max(...paths.map((path) => path.split(".").length));
  /** The names of the open members, outermost first. */
  const names: string[] = [];
  /** The open brackets. Brackets below the deepest path are only counted. */
  const open: number[] = [];
  let hasStarted = false;
  let inString = false;
  let isEscaped = false;
  let expectsName = false;
  /** The bytes of a name, or of a picked value; null while neither is being read. */
  let captured: number[] | null = null;
  let isName = false;
  /** The path of the captured value, and the number of brackets that were open before it. */
  let capture: { path: string; depth: number } | null = null;

  const isNearTop = () => open.length <= deepest;
  const take = (byte: number) => {
    if (captured !== null && captured.length <= (isName ? nameBytesMax : valueBytesMax)) captured.push(byte);
  };

  /**
   * True at the start of a value if parts of it are requested, so that it is not captured whole.
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
        hasStarted = true;
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
   * Continues a string, and returns the next position. A string that is not captured is skipped up
   * to its next quote.
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
    isWhole: () => hasStarted && open.length === 0 && !inString,
  };
}

const decoder = new TextDecoder();

/** Undefined for invalid JSON. */
function parsed(bytes: number[]): unknown {
  try {
    return JSON.parse(decoder.decode(new Uint8Array(bytes)));
  } catch {
    return undefined;
  }
}
