// The examples of the OpenAPI document: what is written, and what readers compose.
import { expect, it } from "vitest";
import { createExample, isComposable, withSpreadExamples } from "../../../src/http/openapi/examples.ts";
import type { JsonSchema, NamedSchemas } from "../../../src/http/openapi/schemas.ts";

const text: JsonSchema = { type: "string" };
const refer = (name: string): JsonSchema => ({ $ref: `#/components/schemas/${name}` });
const object = (properties: Record<string, JsonSchema>, examples?: unknown[]): JsonSchema => ({
  type: "object",
  properties,
  required: Object.keys(properties),
  ...(examples && { examples }),
});

const key = { id: "019a1c5d-61f7-748c-93d7-0e4b5c6d7f3a", name: "Laptop", at: "x", by: "y" };
const Key = object({ id: text, name: text, at: text, by: text }, [key]);
const started = "2026-01-31T09:30:00.000Z";

it("the example of a named schema within another is left to readers", () => {
  const whole = { key, secret: "x7Qa" };
  const named: NamedSchemas = { Key, NewKey: object({ key: refer("Key"), secret: text }, [whole]) };
  const { Key: kept, NewKey: spread = {} } = withSpreadExamples(named);
  expect(kept).toEqual(Key);
  expect(spread).toEqual(object({ key: refer("Key"), secret: { ...text, examples: ["x7Qa"] } }));
  expect(createExample(spread, named)).toEqual(whole);
});

it.each<[what: string, schema: JsonSchema]>([
  ["another value of the named schema", object({ key: refer("Key") }, [{ key: { ...key, name: "Desk" } }])],
  ["null in its place", object({ key: { anyOf: [refer("Key"), { type: "null" }] } }, [{ key: null }])],
])("an example stays with %s", (_, schema) => {
  const named = { Key, Other: schema };
  expect(createExample(withSpreadExamples(named).Other ?? {}, named)).toEqual(schema.examples?.[0]);
});

it("an object that may lack a part keeps its example", () => {
  const schema = { ...object({ key: refer("Key"), note: text }, [{ key }]), required: ["key"] };
  expect(withSpreadExamples({ Key, Other: schema }).Other).toBe(schema);
});

it.each<[what: string, schema: JsonSchema, is: boolean]>([
  ["a list of named schemas", { items: refer("Key") }, true],
  ["a choice", { type: "string", enum: ["a", "b"] }, true],
  ["a time", { type: "string", format: "date-time" }, true],
  ["the first of alternatives", { oneOf: [refer("Key"), text] }, true],
  ["a text", text, false],
  ["an object with a text", object({ key: refer("Key"), note: text }), false],
  ["a schema with an example of its own", { ...object({ key: refer("Key") }), examples: [{ key }] }, false],
])("readers compose an example of %s: %s", (_, schema, is) => {
  expect(isComposable(schema, { Key })).toBe(is);
});

it("the example of a time is a time", () => {
  expect(createExample(object({ at: { type: "string", format: "date-time" } }), {})).toEqual({ at: started });
});
