// The conditions on the body of a call as text, one a line: a path, a test, and what is expected.
import type { Schemas } from "@switchyard/client";

type Condition = Schemas["Triggers"]["triggers"][number]["when"]["json"][number];
type Scalar = Schemas["TriggerValue"];

/** A path may have spaces, so the first test in a line ends it. */
const form = /^(.+?)\s+(is|in|has|exists)(?:\s+(.+))?$/;

const isScalar = (value: unknown): value is Scalar =>
  value === null || typeof value === "string" || typeof value === "number" || typeof value === "boolean";

/** JSON, else a text without quotes. */
function parseValue(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function formatValue(value: Scalar): string {
  const isText = typeof value === "string" && value !== "" && value === value.trim() && !value.includes("\n");
  return isText && parseValue(value) === value ? value : JSON.stringify(value);
}

/** Conditions as text. */
export function formatConditions(conditions: readonly Condition[]): string {
  const toLine = ({ path, is, in: values, has, exists }: Condition) => {
    if (values !== undefined) return `${path} in ${JSON.stringify(values)}`;
    if (exists !== undefined) return `${path} exists${exists ? "" : " false"}`;
    return is === undefined ? `${path} has ${formatValue(has ?? null)}` : `${path} is ${formatValue(is)}`;
  };
  return conditions.map(toLine).join("\n");
}

function parseLine(line: string): Condition | null {
  const [, path, test, text] = form.exec(line) ?? [];
  if (path === undefined) return null;
  if (test === "exists") {
    const exists = text === undefined || parseValue(text);
    return typeof exists === "boolean" ? { path, exists } : null;
  }
  if (text === undefined) return null;
  const value = parseValue(text);
  if (test === "in") {
    const values = Array.isArray(value) ? value : text.split(",").map((one) => parseValue(one.trim()));
    return values.every(isScalar) ? { path, in: values } : null;
  }
  if (!isScalar(value)) return null;
  return test === "is" ? { path, is: value } : { path, has: value };
}

/** The conditions in a text, and the lines that are none. */
export function parseConditions(text: string): { conditions: Condition[]; mistakes: string[] } {
  const lines = text.split(/\r?\n/).flatMap((line) => (line.trim() === "" ? [] : [line.trim()]));
  const read = lines.map((line) => ({ line, condition: parseLine(line) }));
  return {
    conditions: read.flatMap(({ condition }) => condition ?? []),
    mistakes: read.flatMap(({ line, condition }) => (condition === null ? [line] : [])),
  };
}
