import { readFileSync } from "node:fs";
import { describe, expect, it, test } from "vitest";
import { isTooDeep, type JsonObject, readResultSchema } from "../../../src/chat/rules/result-schema.ts";

const object = (properties: JsonObject, more: JsonObject = {}) => ({ type: "object", properties, ...more });
const text = { type: "string" };
/** A schema in so many others. */
const nested = (depth: number): JsonObject => (depth === 1 ? text : { type: "array", items: nested(depth - 1) });
const objectsDeep = (depth: number) => object({ a: nested(depth - 1) });

const accepted: [what: string, given: JsonObject][] = [
  ["no fields", { type: "object" }],
  ["a gate", object({ pass: { type: "boolean" }, reasons: { type: "array", items: text } }, { required: ["pass"] })],
  [
    "words about it",
    object({ a: { ...text, title: "A", description: "a", default: "b", examples: ["c"], format: "date" } }),
  ],
  ["several types", object({ a: { type: ["string", "null"] } })],
  ["values", object({ a: { enum: ["x", 1, true, null] }, b: { const: "y" } })],
  ["lengths", object({ a: { ...text, minLength: 1, maxLength: 9 }, b: { type: "array", minItems: 0, maxItems: 2 } })],
  ["numbers", object({ a: { type: "number", minimum: 0, exclusiveMaximum: 1, multipleOf: 0.1 } })],
  ["other fields", object({}, { additionalProperties: text, propertyNames: { maxLength: 9 }, maxProperties: 4 })],
  [
    "alternatives of a field",
    object({ a: { anyOf: [text, { type: "null" }] }, b: { oneOf: [text] }, c: { allOf: [text] } }),
  ],
  ["names like keywords", object({ pattern: text, $ref: text, type: text })],
  ["ten schemas deep", objectsDeep(10)],
  [
    "much in other fields of other fields",
    object({}, { additionalProperties: { additionalProperties: { ...text, description: "x".repeat(10_000) } } }),
  ],
];

test.each(accepted)("a schema with %s is taken as it is", (_what, given) => {
  expect(readResultSchema(given)).toEqual({ schema: given });
});

describe("definitions", () => {
  const cases: [what: string, given: JsonObject, schema: JsonObject][] = [
    [
      "are written where they are used",
      { ...object({ a: { $ref: "#/$defs/A" }, b: { $ref: "#/$defs/A" } }), $defs: { A: text } },
      object({ a: text, b: text }),
    ],
    [
      "may use others",
      {
        ...object({ a: { $ref: "#/$defs/A" } }),
        $defs: { A: { type: "array", items: { $ref: "#/$defs/B" } }, B: text },
      },
      object({ a: { type: "array", items: text } }),
    ],
    [
      "may be of an older draft",
      { ...object({ a: { $ref: "#/definitions/A" } }), definitions: { A: text } },
      object({ a: text }),
    ],
    ["may be the whole", { $ref: "#/$defs/A", $defs: { A: object({ a: text }) } }, object({ a: text })],
    [
      "keep a description beside the reference",
      { ...object({ a: { $ref: "#/$defs/A", description: "mine" } }), $defs: { A: { ...text, description: "its" } } },
      object({ a: { ...text, description: "mine" } }),
    ],
    [
      "may have a slash in their name",
      { ...object({ a: { $ref: "#/$defs/A~1B" } }), $defs: { "A/B": text } },
      object({ a: text }),
    ],
    [
      "that nobody uses are left out",
      { ...object({}), $defs: { A: { pattern: "x" } }, $schema: "s", $id: "i" },
      object({}),
    ],
  ];
  test.each(cases)("%s", (_what, given, schema) => {
    expect(readResultSchema(given)).toEqual({ schema });
  });
});

const slow = "is not taken: its check may take too long";
const refused: [what: string, given: JsonObject, path: string, message: RegExp | string][] = [
  ["a list", { type: "array", items: text }, "type", /^must be object/],
  ["no type", { properties: { a: text } }, "type", /^must be object/],
  ["several types at the top", { type: ["object", "null"] }, "type", /^must be object/],
  ["alternatives at the top", { ...object({}), anyOf: [object({})] }, "anyOf", /^is not taken at the top/],
  ["an unknown type", object({ a: { type: "date" } }), "properties.a.type", /^must be one of object, array/],
  ["an unknown keyword", object({ a: { ...text, nullable: true } }), "properties.a.nullable", /^is not a keyword/],
  ["a name of JavaScript", object({ a: { constructor: {} } }), "properties.a.constructor", /^is not a keyword/],
  ["a pattern", object({ a: { ...text, pattern: "(a+)+$" } }), "properties.a.pattern", slow],
  ["patterns of names", object({}, { patternProperties: { "^a": text } }), "patternProperties", slow],
  ["unique items", object({ a: { type: "array", uniqueItems: true } }), "properties.a.uniqueItems", slow],
  ["a negation", object({ a: { not: text } }), "properties.a.not", slow],
  ["a schema that is none", object({ a: "string" }), "properties.a", "must be a schema, which is an object"],
  [
    "schemas of a tuple",
    object({ a: { items: [text] } }),
    "properties.a.items",
    "must be a schema, which is an object",
  ],
  ["fields that are a list", { type: "object", properties: ["a"] }, "properties", "must be an object of schemas"],
  ["no alternative", object({ a: { anyOf: [] } }), "properties.a.anyOf", "must be a list of at least one schema"],
  ["no value", object({ a: { enum: [] } }), "properties.a.enum", /^must be a list of at least one value/],
  ["a value that is an object", object({ a: { enum: [{}] } }), "properties.a.enum", /^must be a list of at least one/],
  ["a constant that is a list", object({ a: { const: [] } }), "properties.a.const", /^must be a text/],
  ["a length below 0", object({ a: { minLength: -1 } }), "properties.a.minLength", "must be a whole number from 0"],
  ["a multiple of 0", object({ a: { multipleOf: 0 } }), "properties.a.multipleOf", "must be a number above 0"],
  ["a bound that is a text", object({ a: { minimum: "1" } }), "properties.a.minimum", "must be a number"],
  ["names that are numbers", object({}, { required: [1] }), "required", "must be a list of names"],
  ["a description that is none", object({ a: { description: 1 } }), "properties.a.description", "must be a text"],
  ["an outer reference", object({ a: { $ref: "https://example.com/a" } }), "properties.a.$ref", /^must be `#\/\$defs/],
  ["a reference to itself", object({ a: { $ref: "#" } }), "properties.a.$ref", /^must be `#\/\$defs/],
  [
    "a reference to a field",
    object({ a: text, b: { $ref: "#/properties/a" } }),
    "properties.b.$ref",
    /^must be `#\/\$defs/,
  ],
  [
    "a reference to nothing",
    { ...object({ a: { $ref: "#/$defs/toString" } }), $defs: {} },
    "properties.a.$ref",
    /^names no/,
  ],
  [
    "rules beside a reference",
    { ...object({ a: { $ref: "#/$defs/A", type: "null" } }), $defs: { A: text } },
    "properties.a.type",
    "cannot be beside $ref",
  ],
  [
    "a definition in itself",
    { ...object({ a: { $ref: "#/$defs/A" } }), $defs: { A: { anyOf: [text, { items: { $ref: "#/$defs/A" } }] } } },
    "properties.a.anyOf.1.items.$ref",
    "is within itself: #/$defs/A",
  ],
  ["eleven schemas", objectsDeep(11), `properties.a${".items".repeat(9)}`, "is nested deeper than 10 schemas"],
  [
    "51 alternatives",
    object({ a: { anyOf: Array(51).fill(text) } }),
    "properties.a.anyOf",
    /^is too long: a schema has at most 50/,
  ],
  [
    "more than 16 KiB",
    object({ a: { ...text, description: "x".repeat(16_384) } }),
    "",
    /^is too long: a schema has at most 16384 bytes/,
  ],
];

test.each(refused)("a schema with %s is refused with its place", (_what, given, path, message) => {
  expect(readResultSchema(given)).toEqual({
    path,
    message: typeof message === "string" ? message : expect.stringMatching(message),
  });
});

describe("hostile schemas", () => {
  it("are refused before definitions in definitions grow large", () => {
    const doubled = Object.fromEntries(
      Array.from({ length: 8 }, (_, at) => {
        const next = { $ref: `#/$defs/d${at + 1}` };
        return [`d${at}`, object(Object.fromEntries(Array.from({ length: 30 }, (_, name) => [`f${name}`, next])))];
      }),
    );
    let looks = 0;
    const counted = new Proxy({ ...doubled, d8: text } as JsonObject, {
      get(all, name: string) {
        looks++;
        return all[name];
      },
    });
    const read = readResultSchema({ ...object({ a: { $ref: "#/$defs/d0" } }), $defs: counted });
    expect(read).toMatchObject({ message: expect.stringMatching(/^is too long/) });
    // 30 in the power of 8 without a limit.
    expect(looks).toBeLessThan(10_000);
  });

  it("are refused when they are nested too deep for a recursive function", () => {
    let deep: JsonObject = {};
    for (let at = 0; at < 100_000; at++) deep = { items: deep };
    expect(isTooDeep(deep)).toBe(true);
    expect(readResultSchema(object({ a: deep }))).toEqual({ path: "", message: "is nested deeper than 10 schemas" });
  });
});

test("the guide of the library names the keywords that are taken, and no other", () => {
  const guide = readFileSync("docs/guide/library.md", "utf8");
  const rows = guide.split("| Keywords of a schema | |")[1]?.split("\n\n")[0] ?? "";
  const named = [...rows.matchAll(/`([$\w]+)`/g)].map(([, name]) => name ?? "");
  const isKnown = (name: string) => {
    const atTop = readResultSchema({ type: "object", properties: {}, [name]: null });
    const inField = readResultSchema(object({ a: { [name]: null } }));
    return [atTop, inField].some((read) => "schema" in read || !/^is not (a keyword|taken)/.test(read.message));
  };
  const others = [
    "pattern",
    "patternProperties",
    "uniqueItems",
    "contains",
    "not",
    "if",
    "then",
    "else",
    "prefixItems",
  ];
  expect(named.filter((name) => !isKnown(name))).toEqual([]);
  expect(named.length).toBeGreaterThan(30);
  expect([...others, "dependentRequired", "unevaluatedItems"].filter(isKnown)).toEqual([]);
  const refused = readResultSchema(object({ a: { nullable: true } }));
  const taken = "message" in refused ? [...refused.message.matchAll(/[$\w]+(?=,| and|$)/g)].map(String) : [];
  expect(named.filter((name) => !taken.includes(name)).toSorted()).toEqual(
    ["$comment", "$defs", "$id", "$schema", "definitions"].toSorted(),
  );
});
