// Schemas as words, fields and examples; and how an operation is called.
import { expect, test } from "vitest";
import { findBody, formatCurl, formatLibraryCall } from "../../../site/api/calls.ts";
import type { Operation, Schema } from "../../../site/api/document.ts";
import { createExample, formatType, listFields } from "../../../site/api/schema.ts";

const schemas: Record<string, Schema> = {
  Priority: { type: "string", enum: ["high", "none"] },
  Circle: { type: "object", properties: { again: { $ref: "#/components/schemas/Circle" } } },
};
const words = { schemas, findLink: (name: string) => (name === "Priority" ? "/docs/api/a#object-Priority" : null) };
const ofPriority = { $ref: "#/components/schemas/Priority" };

test.each<[Schema, string]>([
  [{ type: "string" }, "string"],
  [{ type: "string", format: "uuid" }, "string (uuid)"],
  [{ type: ["string", "null"] }, "string or null"],
  [{ anyOf: [ofPriority, { type: "null" }] }, "[Priority](/docs/api/a#object-Priority) or null"],
  [{ $ref: "#/components/schemas/Circle" }, "Circle"],
  [{ type: "array", items: ofPriority }, "list of [Priority](/docs/api/a#object-Priority)"],
  [{ type: "string", enum: ["a", "b"] }, "`a`, `b`"],
  [{ const: true }, "`true`"],
  [{}, "any value"],
])("the type of %j is %s", (schema, text) => {
  expect(formatType(schema, words)).toBe(text);
});

test("fields have their limits, and those of objects in them follow", () => {
  const fields = listFields(
    {
      required: ["title"],
      properties: {
        title: { type: "string", description: "It.", maxLength: 2_000 },
        count: { type: "integer", default: 1, minimum: 1, maximum: 100 },
        files: { type: "array", maxItems: 20, items: { properties: { path: { type: "string" } }, required: ["path"] } },
      },
    },
    words,
  );
  expect(fields.map(({ name, isRequired, description }) => [name, isRequired, description])).toEqual([
    ["title", true, "It. At most 2,000 characters."],
    ["count", false, "Default: `1`. 1 to 100."],
    ["files", false, "At most 20 items."],
    ["files[].path", true, ""],
  ]);
});

test.each<[Schema, unknown]>([
  [{ examples: ["x"], type: "string" }, "x"],
  [ofPriority, "high"],
  [{ type: "array", items: { type: "integer" } }, [0]],
  [{ properties: { a: { type: ["boolean", "null"] } } }, { a: false }],
])("the example of %j is %j", (schema, example) => {
  expect(createExample(schema, schemas)).toEqual(example);
});

test("the example of an object that holds itself ends", () => {
  expect(JSON.stringify(createExample({ $ref: "#/components/schemas/Circle" }, schemas)).length).toBeLessThan(200);
});

const operation: Operation = {
  ...{ id: "send", method: "POST", path: "/api/projects/{projectId}/jobs", summary: "Send", description: "", tag: "A" },
  parameters: [
    { name: "projectId", in: "path", required: true, schema: {} },
    { name: "limit", in: "query", schema: {} },
    { name: "day", in: "query", required: true, schema: {} },
    { name: "Idempotency-Key", in: "header", schema: {} },
  ],
  body: { isRequired: true, content: { "application/json": { example: { content: "It's", "a-b": 1 } } } },
  responses: [{ status: "201", description: "Done.", content: { "application/json": {} }, codes: [] }],
  security: null,
};

test("the calls of an operation have what it requires", () => {
  const body = findBody(operation, {});
  expect(formatCurl(operation, body)).toBe(
    [
      'curl -X POST "$BASE/api/projects/$PROJECT_ID/jobs?day=$DAY" \\',
      '  -H "Authorization: Bearer $KEY" \\',
      '  -H "Content-Type: application/json" \\',
      '  -d \'{\n    "content": "It\'\\\'\'s",\n    "a-b": 1\n  }\'',
    ].join("\n"),
  );
  expect(formatLibraryCall(operation, body)).toBe(
    [
      'const result = await sy.request("POST /api/projects/{projectId}/jobs", {',
      "  path: { projectId },",
      "  query: { day },",
      '  body: {\n    content: "It\'s",\n    "a-b": 1\n  },',
      "  idempotencyKey: crypto.randomUUID(),",
      "});",
    ].join("\n"),
  );
});

test("a stream is followed, and a public operation needs no key", () => {
  const stream = { ...operation, method: "GET", body: null, parameters: [], security: [] };
  const followed = {
    ...stream,
    responses: [{ status: "200", description: "", content: { "text/event-stream": {} }, codes: [] }],
  };
  expect(formatCurl(followed, null)).toBe('curl -N "$BASE/api/projects/$PROJECT_ID/jobs"');
  expect(formatLibraryCall(followed, null)).toMatch(/^for await \(const \{ type, data \} of sy\.follow\("GET /);
});
