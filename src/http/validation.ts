// Validates a value of a request with its schema. Lists every error by field, in plain words.
import * as z from "zod";
import { type Refusal, refuse, sentenceAbout } from "../rules/refusal.ts";
import { nearestName } from "./validation-nearest-name.ts";
import { inWords } from "./validation-validation-message.ts";

type Code = "VALIDATION_ERROR" | "BAD_REQUEST";

/** The number of errors that are listed. */
const mistakesMax = 100;
/** A longer name is cut in the list. */
const nameCharacters = 100;

/** Validates a value. If unknown names are the only errors, the code is VALIDATION_ERROR, else `code`. */
export function check<Value>(schema: z.ZodType<Value>, value: unknown, code: Code): { value: Value } | Refusal {
  const knownNames = new Map<string, string[]>();
  const error = (issue: z.core.$ZodRawIssue) => {
    if (issue.code === "unrecognized_keys") knownNames.set(pathText(issue.path), namesOf(issue.inst));
    return inWords(issue);
  };
  const parsed = schema.safeParse(value, { error });
  return parsed.success ? { value: parsed.data } : invalid(parsed.error, code, knownNames);
}

/** Builds the refusal of an invalid value. `knownNames` are the fields of each object, by its path. */
export function invalid(error: z.ZodError, code: Code, knownNames: ReadonlyMap<string, string[]> = new Map()): Refusal {
  const details = error.issues.slice(0, mistakesMax).flatMap((issue) => {
    const path = pathText(issue.path);
    if (issue.code !== "unrecognized_keys") return [{ path, message: issue.message }];
    const near = (name: string) => nearestName(name, knownNames.get(path) ?? []);
    return issue.keys.slice(0, mistakesMax).map((name) => {
      const field = pathText([...issue.path, name.slice(0, nameCharacters)]);
      return { path: field, message: unknownName(near(name)) };
    });
  });
  const [first] = details;
  const hasUnknownNamesAlone = error.issues.every((issue) => issue.code === "unrecognized_keys");
  const message = first && sentenceAbout(first.path, first.message);
  return refuse(hasUnknownNamesAlone ? "VALIDATION_ERROR" : code, message, details.slice(0, mistakesMax));
}

function unknownName(near: string | null): string {
  return near === null ? "is not known here" : `is not known here; did you mean ${near}?`;
}

function namesOf(schema: unknown): string[] {
  return schema instanceof z.ZodObject ? Object.keys(schema.shape) : [];
}

function pathText(path: readonly PropertyKey[] = []): string {
  return path.join(".");
}
