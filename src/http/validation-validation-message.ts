// Plain descriptions of validation errors. Each follows the name of the field: "content is required".
import type * as z from "zod";

type Issue = z.core.$ZodRawIssue;

const types: Partial<Record<string, string>> = {
  string: "text",
  number: "a number",
  int: "a whole number",
  boolean: "true or false",
  array: "a list",
  object: "an object",
  null: "null",
};

const formats: Partial<Record<string, string>> = {
  uuid: "must be a UUID",
  email: "must be an email address",
  datetime: "must be a time in UTC, such as 2026-01-31T09:30:00.000Z",
};

/** Describes an error. A schema's own message takes precedence. */
export function inWords(issue: Issue): string {
  switch (issue.code) {
    case "invalid_type":
      if (issue.input === undefined) return "is required";
      if (issue.expected === "string" && Array.isArray(issue.input)) return "must be one text, not several";
      return `must be ${types[issue.expected] ?? `of type ${issue.expected}`}`;
    case "invalid_value":
      return issue.input === undefined ? "is required" : `must be ${anyOf(issue.values.map(String))}`;
    case "too_small":
      if (issue.origin === "number" || issue.origin === "int") return `must be at least ${amount(issue.minimum)}`;
      return issue.minimum === 1 ? "must not be empty" : `must have at least ${countOf(issue.origin, issue.minimum)}`;
    case "too_big":
      if (issue.origin === "number" || issue.origin === "int") return `must be at most ${amount(issue.maximum)}`;
      return `must have at most ${countOf(issue.origin, issue.maximum)}`;
    case "invalid_format":
      return formats[issue.format] ?? "has the wrong form";
    case "invalid_union":
      return issue.input === undefined ? "is required" : "has the wrong form";
    default:
      return "has the wrong form";
  }
}

function anyOf(values: string[]): string {
  return values.length === 1 ? (values[0] ?? "") : `${values.slice(0, -1).join(", ")} or ${values.at(-1)}`;
}

function countOf(origin: string, count: number | bigint): string {
  const noun = origin === "array" ? "item" : "character";
  return `${amount(count)} ${noun}${Number(count) === 1 ? "" : "s"}`;
}

function amount(count: number | bigint): string {
  return count.toLocaleString("en-US");
}
