// The steps of a practice script, one JSON line each. For an invalid line, the model says what is
// wrong with it, and the script continues.
import { type ScriptedFailure, scriptedFailures } from "./failure.ts";
import { isObject, type JsonObject, toText } from "./json.ts";

export interface Say {
  kind: "say";
  text: string;
  /** Its words are spread over this many milliseconds; without it, they come immediately. */
  overMs?: number;
}

export interface Sleep {
  kind: "sleep";
  ms: number;
}

export interface Fail {
  kind: "fail";
  failure: ScriptedFailure;
}

/**
 * A step that calls a tool. `look` cannot be written in a script: it is the tool call of a turn
 * without one.
 */
export type ToolStep =
  | { kind: "write"; path: string; content: string }
  | { kind: "bash"; command: string }
  | { kind: "plan"; items: PlanItem[] }
  | { kind: "ask" | "artifact" | "file" | "submit"; input: JsonObject }
  | { kind: "tool"; name: string; input: JsonObject }
  | { kind: "look" };

export interface PlanItem {
  title: string;
  status: string;
}

/**
 * The number of responses that were given before a summary: the practice model's note to itself.
 */
export interface Given {
  kind: "given";
  count: number;
}

/** Ends the answer. The steps after it answer the reminder of a result that is missing. */
export interface End {
  kind: "end";
}

export type Step = Say | Sleep | Fail | ToolStep | Given | End;

const longestSleepMs = 2 ** 31 - 1;

/** Parses the lines of a script. */
export function parseSteps(lines: string[]): Step[] {
  return lines.flatMap((line, at) => (line.trim() === "" ? [] : stepsOfLine(line, at + 1)));
}

function stepsOfLine(line: string, lineNumber: number): Step[] {
  const mistake = (what: string): Say => ({
    kind: "say",
    text: `Line ${lineNumber} of the practice script ${what}: ${line.trim()}`,
  });
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return [mistake("is not JSON")];
  }
  if (!isObject(value)) return [mistake("is not a JSON object")];
  const keys = Object.keys(value);
  if (keys.length === 0) return [mistake("names no step")];
  return keys.map((key) => {
    const read = Object.hasOwn(readers, key) ? readers[key] : undefined;
    if (read === undefined) return mistake(`names the unknown step "${key}" (known are ${knownSteps})`);
    return read(value[key]) ?? mistake(`gives "${key}" something it does not take`);
  });
}

const readers: Record<string, (value: unknown) => Step | null> = {
  say: (value) => (typeof value === "string" ? { kind: "say", text: value } : null),
  write: (value) =>
    isObject(value) && typeof value.path === "string" && typeof value.content === "string"
      ? { kind: "write", path: value.path, content: value.content }
      : null,
  bash: (value) => (typeof value === "string" ? { kind: "bash", command: value } : null),
  plan: (value) => (Array.isArray(value) ? { kind: "plan", items: value.map(planItem) } : null),
  ask: (value) => (isObject(value) ? { kind: "ask", input: value } : null),
  artifact: (value) => (isObject(value) ? { kind: "artifact", input: value } : null),
  file: (value) => (isObject(value) ? { kind: "file", input: value } : null),
  submit: (value) => (isObject(value) ? { kind: "submit", input: value } : null),
  end: (value) => (value === true ? { kind: "end" } : null),
  tool: (value) =>
    isObject(value) && typeof value.name === "string"
      ? { kind: "tool", name: value.name, input: isObject(value.input) ? value.input : {} }
      : null,
  stream: (value) =>
    isObject(value) && typeof value.text === "string" && typeof value.ms === "number" && value.ms >= 0
      ? { kind: "say", text: value.text, overMs: Math.min(value.ms, longestSleepMs) }
      : null,
  sleep: (value) =>
    typeof value === "number" && value >= 0 ? { kind: "sleep", ms: Math.min(value, longestSleepMs) } : null,
  fail: (value) => {
    const failure = scriptedFailures.find((known) => known === value);
    return failure === undefined ? null : { kind: "fail", failure };
  },
  given: (value) => (typeof value === "number" ? { kind: "given", count: value } : null),
};

const knownSteps = Object.keys(readers)
  .filter((name) => name !== "given")
  .join(", ");

function planItem(value: unknown): PlanItem {
  if (!isObject(value)) return { title: String(value), status: "pending" };
  return { title: toText(value.title), status: toText(value.status) || "pending" };
}
