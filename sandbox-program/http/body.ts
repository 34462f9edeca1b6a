// Reads request bodies: JSON of limited size, validated by a schema.
import type { IncomingMessage } from "node:http";
import type { core, ZodMiniType } from "zod/mini";
import { createRefusal } from "./refusal.ts";

/** Parses the JSON body of a request. */
export async function readJson(request: IncomingMessage, limitBytes: number): Promise<unknown> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request) {
    const part = Buffer.from(chunk);
    bytes += part.length;
    if (bytes > limitBytes) throw createRefusal("BAD_CALL", `The body is larger than ${limitBytes} bytes.`);
    chunks.push(part);
  }
  try {
    return JSON.parse(Buffer.concat(chunks).toString("utf8"));
  } catch {
    throw createRefusal("BAD_CALL", "The body is not JSON.");
  }
}

/** Parses a value with a schema. Refuses an invalid value and names the field. */
export function readAs<Value>(schema: ZodMiniType<Value>, value: unknown): Value {
  const { success, data, error } = schema.safeParse(value);
  if (success) return data;
  const [issue] = error.issues;
  const field = issue?.path.length ? `\`${issue.path.join(".")}\`` : "The value";
  throw createRefusal("BAD_CALL", `${field} ${issue ? formatProblem(issue) : "does not fit"}.`);
}

const nouns: Record<string, string> = {
  array: "a list",
  object: "an object",
  record: "an object",
  int: "a whole number",
};

function formatProblem(issue: core.$ZodIssue): string {
  if (issue.code === "invalid_type") return `has to be ${nouns[issue.expected] ?? `a ${issue.expected}`}`;
  if (issue.code === "invalid_value") return `has to be one of ${issue.values.join(", ")}`;
  if (issue.code === "invalid_key") return "holds a name that no variable can have";
  return issue.message;
}
