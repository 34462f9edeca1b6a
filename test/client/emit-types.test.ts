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
  const listCodes = (union: string): string[] =>
    union.split(" | ").flatMap((one) => {
      const [, named] = new RegExp(`\ntype ${one} = (.*)`).exec(text) ?? [];
      return named ? listCodes(named) : [one];
    });
  const [, union = ""] = /\ncodes: (.*)/.exec(text.slice(text.indexOf(`\n"${send}": {`))) ?? [];
  const codes = listCodes(union);
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

test.each([
  ["createdAt", "When it was created.", null],
  ["state", "How far it is. Null until `start`.", "How far it is."],
  ["id", "The thing's id.", null],
  ["imageUrl", "The picture of the thing; null where it has none.", null],
  ["limit", "What it may cost; null where it has none.", "What it may cost."],
  ["limit", "What it may cost; null for no limit.", "What it may cost; null for no limit."],
])("of the field %s that is read, %j is shown as %j", (name, description, shown) => {
  const properties = { [name]: { type: ["string", "null"], description } };
  const emitted = formatTypes(withSchema({ type: "object", properties, required: [name] }));
  expect(emitted).toContain(`\nThing: {\n${shown === null ? "" : `/** ${shown} */\n`}${name}: string | null\n}`);
});

test("a field of a body has its whole description", () => {
  const properties = {
    until: { type: ["string", "null"], description: "When it ends. Left out, never; null for none." },
  };
  const schema = { type: "object", properties };
  const responses = { 204: { description: "Nothing." } };
  const post = {
    summary: "Create a thing.",
    requestBody: { required: true, content: { "application/json": { schema } } },
    responses,
  };
  const emitted = formatTypes({ paths: { "/things": { post } }, components: { schemas: {} } });
  expect(emitted).toContain(
    "\n/** When it ends. Left out, never; null for none. */\nuntil?: string | null | undefined\n",
  );
  // The name of the operation says what it does.
  expect(emitted).toContain('\nexport interface Operations {\n"POST /things": {\n');
});
