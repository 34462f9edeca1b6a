// The emitter of types, on the whole document of the service and on what it has to refuse.
import { expect, test } from "vitest";
import { type Document, formatTypes } from "../../packages/client/build/emit-types.ts";
import { readApiDocument } from "../../scripts/api-document.ts";

const document: Document = await readApiDocument();
const text = formatTypes(document);
const methods = Object.entries(document.paths).flatMap(([path, { parameters: _, ...item }]) =>
  Object.keys(item).map((method) => `${method.toUpperCase()} ${path}`),
);

test("every operation and every named schema of the document has a type", () => {
  expect(methods.length).toBeGreaterThan(100);
  const missing = methods.filter((name) => !text.includes(`\n${JSON.stringify(name)}: {\n`));
  expect(missing).toEqual([]);
  const named = Object.keys(document.components.schemas);
  expect(named.filter((name) => !text.includes(`\n${name}: `))).toEqual([]);
});

test("an operation has the codes with which it is refused", () => {
  const send = "POST /api/projects/{projectId}/chat-sessions/{sessionId}/jobs/chat";
  const [, ofSend = ""] = /\ncodes: (.*)/.exec(text.slice(text.indexOf(`\n"${send}": {`))) ?? [];
  const [, named = ofSend] = new RegExp(`type ${ofSend.split(" ")[0]} = (.*)`).exec(text) ?? [];
  const codes = named.match(/"\w+"/g) ?? [];
  expect(codes).toEqual(expect.arrayContaining(['"QUEUE_FULL"', '"VALIDATION_ERROR"', '"INTERNAL_ERROR"']));
  expect(codes).not.toContain('"DEPLOY_RESUME_UNAVAILABLE"');
});

const withSchema = (schema: object): Document => ({ paths: {}, components: { schemas: { Thing: schema } } });

test.each([
  ["a word", { type: "string", contentEncoding: "base64" }],
  ["a type", { type: "tuple" }],
  ["a word in a field", { type: "object", properties: { one: { not: {} } } }],
])("%s of JSON Schema that it does not know is an error", (_, schema) => {
  expect(() => formatTypes(withSchema(schema))).toThrow(/does not know/);
});

test.each([
  [{ type: ["string", "null"] }, "string | null"],
  [{ enum: ["a", "b", 1] }, '"a" | "b" | 1'],
  [{ const: 1 }, "1"],
  [{ anyOf: [{ type: "null" }, { $ref: "#/components/schemas/Other" }] }, 'null | Schemas["Other"]'],
  [{ type: "array", items: { type: ["integer", "null"] } }, "(number | null)[]"],
  [{ type: "object", additionalProperties: { type: "boolean" } }, "Record<string, boolean>"],
  [{}, "unknown"],
])("%j is a type", (schema, type) => {
  expect(formatTypes(withSchema(schema))).toContain(`\nThing: ${type}\n`);
});

test("an optional field is optional, and a name that is none is quoted", () => {
  const properties = { one: { type: "string" }, "other-name": { type: "boolean", description: "Ends */ here." } };
  const emitted = formatTypes(withSchema({ type: "object", properties, required: ["one"] }));
  expect(emitted).toMatch(/\none: string\n\/\*\* Ends \*\\\/ here\. \*\/\n"other-name"\?: boolean\n/);
});

test("a field that is read has the first sentence of its description, unless its name says as much", () => {
  const properties = {
    createdAt: { type: "string", description: "When it was created." },
    state: { type: "string", description: "How far it is. Null until `start`." },
  };
  const emitted = formatTypes(withSchema({ type: "object", properties, required: ["createdAt", "state"] }));
  expect(emitted).toContain("\nThing: {\ncreatedAt: string\n/** How far it is. */\nstate: string\n}");
});

test("a field of a body has its whole description", () => {
  const properties = { until: { type: "string", description: "When it ends. Left out, never." } };
  const schema = { type: "object", properties };
  const responses = { 204: { description: "Nothing." } };
  const post = {
    summary: "Start.",
    requestBody: { required: true, content: { "application/json": { schema } } },
    responses,
  };
  const emitted = formatTypes({ paths: { "/things": { post } }, components: { schemas: {} } });
  expect(emitted).toContain("\n/** When it ends. Left out, never. */\nuntil?: string | undefined\n");
});
