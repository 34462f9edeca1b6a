// Reads a provider's response as it is streamed: the reported tokens, and an error among the events
// of a stream. It supports both wires, and holds at most one report in memory.
import { createJsonPicker, type JsonPicker } from "../lib/json-picker.ts";
import type { CallTokens } from "../usage/rules/price.ts";
import { addTokens, type UsageWire } from "./rules/reported-usage.ts";

/** The paths of these values on the wires. */
const paths = ["type", "usage", "message.usage", "response.usage", "error", "response.error", "code", "message"];
const reports = ["usage", "message.usage", "response.usage"];

export interface AnswerReader {
  read(bytes: Uint8Array): void;
  /** Must be called after the last byte. */
  end(): void;
  /** The tokens reported so far; null before the first report. */
  tokens(): CallTokens | null;
}

/**
 * Creates a reader of a response. `onEvent` receives the picked values of each event of a stream.
 */
export function createAnswerReader(
  wire: UsageWire,
  isStream: boolean,
  onEvent: (values: ReadonlyMap<string, unknown>) => void = () => {},
): AnswerReader {
  let tokens: CallTokens | null = null;

  function take(picker: JsonPicker): void {
    const values = picker.picked();
    for (const path of reports) tokens = addTokens(wire, tokens, values.get(path));
    if (isStream && values.size > 0) onEvent(values);
  }

  const reader = isStream ? readEvents(take) : readWhole(take);
  return { ...reader, tokens: () => tokens };
}

type Reader = Pick<AnswerReader, "read" | "end">;

function readWhole(take: (picker: JsonPicker) => void): Reader {
  const picker = createJsonPicker(paths);
  return { read: picker.read, end: () => take(picker) };
}

const [lineFeed, carriageReturn] = [0x0a, 0x0d];
const dataField = "data:";

/** Reads server-sent events. With all providers, the data of an event is one line of JSON. */
function readEvents(take: (picker: JsonPicker) => void): Reader {
  /** The start of the line, until it is known whether the line contains data. */
  let start = "";
  let picker: JsonPicker | null = null;
  let isOther = false;

  function endLine(): void {
    if (picker) take(picker);
    [start, picker, isOther] = ["", null, false];
  }

  /** Reads up to the end of the field's name, and returns the next position. */
  function readStart(bytes: Uint8Array, at: number): number {
    start += String.fromCharCode(bytes[at] ?? 0);
    if (start === dataField) picker = createJsonPicker(paths);
    else if (!dataField.startsWith(start)) isOther = true;
    return at + 1;
  }

  return {
    read(bytes) {
      for (let at = 0; at < bytes.length; ) {
        const byte = bytes[at];
        if (byte === lineFeed || byte === carriageReturn) {
          endLine();
          at += 1;
          continue;
        }
        if (picker === null && !isOther) {
          at = readStart(bytes, at);
          continue;
        }
        const end = lineEnd(bytes, at);
        picker?.read(bytes.subarray(at, end));
        at = end;
      }
    },
    end: endLine,
  };
}

function lineEnd(bytes: Uint8Array, from: number): number {
  const feed = bytes.indexOf(lineFeed, from);
  const end = feed < 0 ? bytes.length : feed;
  const carriage = bytes.subarray(from, end).indexOf(carriageReturn);
  return carriage < 0 ? end : from + carriage;
}
