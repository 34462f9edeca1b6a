// What is wrong with a value of a request: named field by field, in plain words, and only as many
// mistakes as a person reads.
import { describe, expect, test } from "vitest";
import * as z from "zod";
import { check } from "../../../src/http/validation.ts";
import { isRefusal } from "../../../src/rules/refusal.ts";

const schema = z.strictObject({
  name: z.string().min(1).max(5).optional(),
  count: z.int().min(1).max(9).optional(),
  size: z.number().optional(),
  isOpen: z.boolean().optional(),
  kind: z.enum(["one", "two", "three"]).optional(),
  only: z.literal("true").optional(),
  id: z.uuid().optional(),
  at: z.iso.datetime().optional(),
  list: z
    .array(z.strictObject({ path: z.string() }))
    .min(2)
    .max(3)
    .optional(),
  either: z.union([z.string(), z.number()]).optional(),
  own: z
    .string()
    .refine((text) => text !== "no", "says no")
    .optional(),
});

function listMistakes(value: unknown): [string, string][] {
  const checked = check(schema, value, "VALIDATION_ERROR");
  if (!isRefusal(checked)) return [];
  return (checked.details as { path: string; message: string }[]).map(({ path, message }) => [path, message]);
}

test.each<[unknown, string, string]>([
  [{ name: 5 }, "name", "must be text"],
  [{ name: ["a", "b"] }, "name", "must be one text, not several"],
  [{ name: "" }, "name", "must not be empty"],
  [{ name: "a".repeat(6) }, "name", "must have at most 5 characters"],
  [{ count: 1.5 }, "count", "must be a whole number"],
  [{ count: 0 }, "count", "must be at least 1"],
  [{ count: 10 }, "count", "must be at most 9"],
  [{ size: "1" }, "size", "must be a number"],
  [{ isOpen: 1 }, "isOpen", "must be true or false"],
  [{ kind: "four" }, "kind", "must be one, two or three"],
  [{ only: "false" }, "only", "must be true"],
  [{ id: "1" }, "id", "must be a UUID"],
  [{ at: "now" }, "at", "must be a time in UTC, such as 2026-01-31T09:30:00.000Z"],
  [{ list: [{ path: "a" }] }, "list", "must have at least 2 items"],
  [{ list: [{ path: "a" }, {}] }, "list.1.path", "is required"],
  [{ list: [{ path: "a" }, { path: "b", paht: "c" }] }, "list.1.paht", "is not known here; did you mean path?"],
  [{ either: {} }, "either", "has the wrong form"],
  [{ own: "no" }, "own", "says no"],
  [{ nmae: "a" }, "nmae", "is not known here; did you mean name?"],
  [{ other: "a" }, "other", "is not known here"],
  [[], "", "must be an object"],
  [undefined, "", "is required"],
])("%j", (value, path, message) => {
  expect(listMistakes(value)).toEqual([[path, message]]);
});

describe("the message", () => {
  test.each<[unknown, string]>([
    [{ name: 5 }, "name must be text."],
    [{ nmae: "a" }, "There is no field `nmae`. Did you mean `name`?"],
    [{ list: [{ path: "a", colour: "b" }, { path: "b" }] }, "There is no field `list.0.colour`. Known are `path`."],
    [undefined, "The body is required."],
  ])("of %j is a sentence about the first mistake", (value, message) => {
    expect(check(schema, value, "BAD_REQUEST")).toMatchObject({ message });
  });
});

describe("an unknown name", () => {
  const two = z.strictObject({ a: z.string().optional(), b: z.string().optional() });
  test.each<["field" | "query parameter", string]>([
    ["field", "There is no field `sessionId`: it is a query parameter."],
    ["query parameter", "There is no query parameter `sessionId`: it is a field of the body."],
  ])("that is in the other part than the %s says so", (name, message) => {
    const part = { name, elsewhere: ["sessionId"] };
    expect(check(two, { sessionId: "1" }, "BAD_REQUEST", part)).toMatchObject({ message });
  });

  test("names those that exist", () => {
    expect(check(two, { colour: "red" }, "BAD_REQUEST")).toMatchObject({
      message: "There is no field `colour`. Known are `a`, `b`.",
    });
    expect(check(z.strictObject({}), { colour: "red" }, "BAD_REQUEST")).toMatchObject({
      message: "There is no field `colour`. None is known here.",
    });
  });
});

describe("the code", () => {
  test.each<[unknown, string]>([
    [{ name: 5 }, "BAD_REQUEST"],
    [{ name: 5, nmae: "a" }, "BAD_REQUEST"],
    [{ nmae: "a" }, "VALIDATION_ERROR"],
  ])("of %j is %s on routes that otherwise return BAD_REQUEST", (value, code) => {
    expect(check(schema, value, "BAD_REQUEST")).toMatchObject({ code });
  });
});

test("of a hundred thousand unknown names the first are named, each up to a limit", () => {
  const many = Object.fromEntries(Array.from({ length: 100_000 }, (_, at) => [`${"x".repeat(200)}${at}`, 1]));
  const told = listMistakes(many);
  expect(told.length).toBe(100);
  expect(told.every(([path]) => path.length === 100)).toBe(true);
});

test("a valid value is returned as the schema parses it", () => {
  expect(check(schema, { name: "a", count: 2 }, "BAD_REQUEST")).toEqual({ value: { name: "a", count: 2 } });
});
