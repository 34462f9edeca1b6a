// Validates a value of a request with its schema. Lists every error by field, in plain words.
import * as z from "zod";
import { findNearestName } from "../rules/nearest-name.ts";
import { formatSentence, type Refusal, refuse } from "../rules/refusal.ts";

type Code = "VALIDATION_ERROR" | "BAD_REQUEST";

/** The number of errors that are listed. */
const mistakesMax = 100;
/** So many known names are listed for an unknown one. */
const namesListed = 20;
/** A longer name is cut in the list. */
const nameCharacters = 100;

/**
 * Validates a value. If unknown names are the only errors, the code is VALIDATION_ERROR, else
 * `code`.
 */
export function check<Value>(
  schema: z.ZodType<Value>,
  value: unknown,
  code: Code,
  part: RequestPart = { name: "field", elsewhere: [] },
): { value: Value } | Refusal {
  const knownNames = new Map<string, string[]>();
  const error = (issue: z.core.$ZodRawIssue) => {
    if (issue.code === "unrecognized_keys") knownNames.set(pathText(issue.path), getNames(issue.inst));
    return inWords(issue);
  };
  const parsed = schema.safeParse(value, { error });
  return parsed.success ? { value: parsed.data } : toValidationRefusal(parsed.error, code, knownNames, part);
}

/** The part of a request that is validated. */
export interface RequestPart {
  name: "field" | "query parameter";
  /** The names of its other part. */
  elsewhere: readonly string[];
}

/**
 * Builds the refusal of an invalid value. `knownNames` are the fields of each object, by its path.
 */
export function toValidationRefusal(
  error: z.ZodError,
  code: Code,
  knownNames: ReadonlyMap<string, string[]> = new Map(),
  part: RequestPart = { name: "field", elsewhere: [] },
): Refusal {
  let unknown: string | null = null;
  const details = error.issues.slice(0, mistakesMax).flatMap((issue) => {
    const path = pathText(issue.path);
    if (issue.code !== "unrecognized_keys") return [{ path, message: issue.message }];
    const known = knownNames.get(path) ?? [];
    return issue.keys.slice(0, mistakesMax).map((name) => {
      const field = pathText([...issue.path, name.slice(0, nameCharacters)]);
      const isElsewhere = path === "" && part.elsewhere.includes(name);
      unknown ??= `There is no ${part.name} \`${field}\`${explainUnknown(name, known, isElsewhere ? part : null)}`;
      return { path: field, message: unknownName(findNearestName(name, known)) };
    });
  });
  const [first] = details;
  const hasOnlyUnknownNames = error.issues.every((issue) => issue.code === "unrecognized_keys");
  const isFirstUnknown = error.issues[0]?.code === "unrecognized_keys";
  const message = isFirstUnknown && unknown !== null ? unknown : first && formatSentence(first.path, first.message);
  return refuse(hasOnlyUnknownNames ? "VALIDATION_ERROR" : code, message, details.slice(0, mistakesMax));
}

function unknownName(near: string | null): string {
  return near === null ? "is not known here" : `is not known here; did you mean ${near}?`;
}

/**
 * What follows "There is no field `name`". `part` is set for a name of the request's other part.
 */
function explainUnknown(name: string, known: readonly string[], part: RequestPart | null): string {
  if (part) return `: it is a ${part.name === "field" ? "query parameter" : "field of the body"}.`;
  const near = findNearestName(name, known);
  if (near !== null) return `. Did you mean \`${near}\`?`;
  if (known.length === 0) return ". None is known here.";
  const listed = known.slice(0, namesListed).map((one) => `\`${one}\``);
  return `. Known are ${listed.join(", ")}${known.length > namesListed ? " and more" : ""}.`;
}

/** The names of an object's fields, also of one that may be missing; none for any other schema. */
export function getNames(schema: unknown): string[] {
  if (schema instanceof z.ZodPrefault) return getNames(schema.unwrap());
  return schema instanceof z.ZodObject ? Object.keys(schema.shape) : [];
}

function pathText(path: readonly PropertyKey[] = []): string {
  return path.join(".");
}

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
function inWords(issue: Issue): string {
  switch (issue.code) {
    case "invalid_type":
      if (issue.input === undefined) return "is required";
      if (issue.expected === "string" && Array.isArray(issue.input)) return "must be one text, not several";
      return `must be ${types[issue.expected] ?? `of type ${issue.expected}`}`;
    case "invalid_value":
      return issue.input === undefined ? "is required" : `must be ${formatChoice(issue.values.map(String))}`;
    case "too_small":
      if (issue.origin === "number" || issue.origin === "int") return `must be at least ${amount(issue.minimum)}`;
      return issue.minimum === 1
        ? "must not be empty"
        : `must have at least ${formatCount(issue.origin, issue.minimum)}`;
    case "too_big":
      if (issue.origin === "number" || issue.origin === "int") return `must be at most ${amount(issue.maximum)}`;
      return `must have at most ${formatCount(issue.origin, issue.maximum)}`;
    case "invalid_format":
      return formats[issue.format] ?? "has the wrong form";
    case "invalid_union":
      return issue.input === undefined ? "is required" : "has the wrong form";
    default:
      return "has the wrong form";
  }
}

function formatChoice(values: string[]): string {
  return values.length === 1 ? (values[0] ?? "") : `${values.slice(0, -1).join(", ")} or ${values.at(-1)}`;
}

function formatCount(origin: string, count: number | bigint): string {
  const noun = origin === "array" ? "item" : "character";
  return `${amount(count)} ${noun}${Number(count) === 1 ? "" : "s"}`;
}

function amount(count: number | bigint): string {
  return count.toLocaleString("en-US");
}
