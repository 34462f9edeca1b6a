import { describe, expect, it, test } from "vitest";
import { checkResult } from "../../../src/chat/rules/result-check.ts";
import { type JsonObject, readResultSchema } from "../../../src/chat/rules/result-schema.ts";

function schemaOf(given: JsonObject): JsonObject {
  const read = readResultSchema(given);
  if (!("schema" in read)) throw new Error(`${read.path} ${read.message}`);
  return read.schema;
}

const field = (schema: JsonObject) => schemaOf({ type: "object", properties: { a: schema } });
const finding = {
  type: "object",
  properties: { kind: { const: "finding" }, line: { type: "integer" } },
  required: ["kind", "line"],
};
const nullable = { anyOf: [finding, { type: "null" }] };

const hits: [what: string, schema: JsonObject, value: unknown][] = [
  ["any value without a type", {}, { x: [1] }],
  ["a field that is left out", { type: "string" }, undefined],
  ["a text", { type: "string", minLength: 1, maxLength: 2 }, "😀😀"],
  ["a format, which only the model reads", { type: "string", format: "date" }, "tomorrow"],
  ["a whole number that is written with a point", { type: "integer" }, 2.0],
  ["one of several types", { type: ["string", "null"] }, null],
  ["a listed value", { enum: [1, null, "x"] }, null],
  ["a constant", { const: false }, false],
  ["a number at its bounds", { type: "number", minimum: 1, maximum: 1 }, 1],
  ["a multiple of a fraction", { multipleOf: 0.1 }, 0.3],
  ["a large multiple of a fraction", { multipleOf: 0.01 }, 1234567.89],
  ["items", { type: "array", items: { type: "number" }, minItems: 2, maxItems: 2 }, [1, 2]],
  ["other fields", { type: "object", properties: { b: { type: "null" } } }, { b: null, c: 1 }],
  ["other fields of a schema", { type: "object", additionalProperties: { type: "number" } }, { c: 1 }],
  ["names of a schema", { type: "object", propertyNames: { maxLength: 1 } }, { c: 1 }],
  ["the second alternative", nullable, null],
  ["one of exactly one", { oneOf: [{ type: "string" }, { type: "number" }] }, 1],
  ["all of several", { allOf: [{ minimum: 1 }, { maximum: 3 }] }, 2],
  ["a field that objects have by themselves", { type: "object", properties: { toString: { type: "number" } } }, {}],
];

test.each(hits)("%s is a hit", (_what, schema, value) => {
  expect(checkResult(field(schema), value === undefined ? {} : { a: value }).mistakes).toEqual([]);
});

const misses: [what: string, schema: JsonObject, value: unknown, path: string, message: string][] = [
  ["null for a number", { type: "number" }, null, "a", "must be a number"],
  ["a text for a number", { type: "integer" }, "3", "a", "must be an integer"],
  ["a fraction for a whole number", { type: "integer" }, 1.5, "a", "must be an integer"],
  ["a list for an object", { type: "object" }, [], "a", "must be an object"],
  ["neither of two types", { type: ["string", "null"] }, true, "a", "must be a text or null"],
  ["another value", { enum: ["x", 1] }, "1", "a", 'must be one of "x", 1'],
  ["another constant", { const: false }, 0, "a", "must be false"],
  ["a short text", { minLength: 3 }, "😀😀", "a", "must have at least 3 characters"],
  ["a long text", { maxLength: 1 }, "ab", "a", "must have at most 1 characters"],
  ["a small number", { minimum: 1 }, 0, "a", "must be at least 1"],
  ["a large number", { maximum: 1 }, 2, "a", "must be at most 1"],
  ["a number at an open bound", { exclusiveMinimum: 1 }, 1, "a", "must be above 1"],
  ["a number at the other open bound", { exclusiveMaximum: 1 }, 1, "a", "must be below 1"],
  ["no multiple", { multipleOf: 0.1 }, 0.35, "a", "must be a multiple of 0.1"],
  ["a large number that is no multiple", { multipleOf: 1 }, 500_000_000.5, "a", "must be a multiple of 1"],
  ["few items", { minItems: 1 }, [], "a", "must have at least 1 items"],
  ["a wrong item", { items: { type: "string" } }, ["x", 1], "a.1", "must be a text"],
  ["many fields", { maxProperties: 1 }, { b: 1, c: 1 }, "a", "must have at most 1 fields"],
  ["a missing field", finding, { kind: "finding" }, "a.line", "is missing"],
  [
    "a field that objects have by themselves",
    { type: "object", required: ["toString"] },
    {},
    "a.toString",
    "is missing",
  ],
  [
    "a field too many",
    { type: "object", additionalProperties: false },
    { b: 1 },
    "a.b",
    "is not a field of the schema",
  ],
  ["a wrong other field", { additionalProperties: { type: "null" } }, { b: 1 }, "a.b", "must be null"],
  ["a wrong name", { propertyNames: { maxLength: 1 } }, { bc: 1 }, "a.bc", "has a name that the schema does not take"],
  ["the only alternative of its type", nullable, { kind: "finding", line: "1" }, "a.line", "must be an integer"],
  ["no alternative", { anyOf: [{ type: "string" }, { type: "null" }] }, 1, "a", "matches none of its 2 alternatives"],
  [
    "two of exactly one",
    { oneOf: [{ minimum: 1 }, { maximum: 3 }] },
    2,
    "a",
    "matches several of its alternatives, and must match one",
  ],
  ["one of all", { allOf: [{ minimum: 1 }, { maximum: 3 }] }, 4, "a", "must be at most 3"],
];

test.each(misses)("%s is a miss, with its field", (_what, schema, value, path, message) => {
  expect(checkResult(field(schema), { a: value }).mistakes).toEqual([{ path, message }]);
});

it("lists ten mistakes at most", () => {
  expect(checkResult(field({ items: { type: "null" } }), { a: Array(100).fill(1) }).mistakes).toHaveLength(10);
});

test.each([
  [65_536, 0],
  [65_537, 1],
])("a result of %d bytes has %d mistakes", (bytes, count) => {
  const { mistakes } = checkResult(field({}), { a: "x".repeat(bytes - '{"a":""}'.length) });
  expect(mistakes).toHaveLength(count);
});

describe("the steps of a check", () => {
  const branch = (schema: JsonObject, depth: number): JsonObject =>
    depth === 0 ? schema : { anyOf: [branch(schema, depth - 1), branch(schema, depth - 1)] };
  const chain = (depth: number): JsonObject =>
    depth === 0 ? { type: "string" } : { anyOf: [chain(depth - 1), { type: "null" }] };
  const names = Array.from({ length: 2_000 }, (_, at) => `f${at}`);
  const hostile: [what: string, schema: JsonObject, item: unknown, most: number][] = [
    ["alternatives in alternatives", { items: branch({ type: "string" }, 4) }, 1, 60],
    ["alternatives that would be explained again and again", { items: { anyOf: [chain(6), {}] } }, 1, 20],
    ["many alternatives", { items: { anyOf: Array.from({ length: 49 }, (_, at) => ({ const: at })) } }, 48, 51],
    ["many values", { items: { enum: Array.from({ length: 2_000 }, (_, at) => at) } }, 1_999, 2],
    ["many missing names", { items: { anyOf: [{ required: names }, {}] } }, {}, 5],
    ["a list in a list", { items: { items: { type: "null" } } }, [null], 3],
  ];

  test.each(hostile)("grow as the result does: %s", (_what, schema, item, most) => {
    const steps = (items: number) => checkResult(field(schema), { a: Array(items).fill(item) }).steps;
    const [few, many] = [steps(200), steps(2_000)];
    expect(many / few).toBeLessThan(10.1);
    expect(many / 2_000).toBeLessThanOrEqual(most);
  });
});
