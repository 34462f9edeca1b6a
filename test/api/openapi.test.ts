// The OpenAPI document: public, without envelope, valid, and true to the service.
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { beforeAll, expect, test } from "vitest";
import { readApiDocument } from "../../scripts/api-document.ts";
import { withoutReferences } from "../support/api-document.ts";
import { apiWorld } from "../support/api-world.ts";
import { exchange } from "../support/http-exchange.ts";

const world = apiWorld();
const methods = ["get", "put", "post", "delete", "options", "head", "patch", "trace"];

const severalSuccesses: Record<string, string[]> = {
  // A stream that its client has read to the end has no more events.
  "get /api/streams/{streamId}": ["200", "204"],
  "get /api/organizations/{workspaceId}/crons/{cronId}/runs/{runId}/events": ["200", "204"],
  // The reader has the same work.
  "get /api/projects/{projectId}/chat-sessions/{sessionId}/preview/work": ["200", "204"],
  // It is created once and returned from then on.
  "post /api/projects/{projectId}/preview/share": ["200", "201"],
  // A place may have its session already.
  "post /api/projects/{projectId}/chat-sessions": ["200", "201"],
  // A message may be queued without starting anything.
  "post /api/projects/{projectId}/settings/agentic-deploy": ["200", "201"],
};

interface Operation {
  operationId: string;
  summary: string;
  tags: string[];
  security?: unknown[];
  parameters: { name: string; in: string; required?: boolean; schema: object }[];
  requestBody?: { content: Record<string, { schema: object }> };
  responses: Record<string, { description: string; content?: Record<string, { schema: object }> }>;
}

interface Document {
  openapi: string;
  info: { title: string; version: string };
  servers: { url: string }[];
  security: unknown[];
  paths: Record<string, Record<string, Operation>>;
  components: { securitySchemes: Record<string, object>; schemas: Record<string, object> };
}

let document: Document;
let text: string;
let operations: { method: string; path: string; operation: Operation }[];
beforeAll(async () => {
  ({ text } = await exchange(world.baseUrl, { path: "/api/openapi.json" }));
  document = JSON.parse(text);
  operations = Object.entries(withoutReferences(document).paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({ method, path, operation })),
  );
});

test("the document is public, has no envelope and describes the API", () => {
  expect(document.openapi).toMatch(/^3\.1\.\d+$/);
  expect(document).not.toHaveProperty("data");
  expect(document.info).toEqual(expect.objectContaining({ title: "Switchyard", version: expect.stringMatching(/\S/) }));
  // On one machine it has the address of that machine, which means the same wherever the document
  // is read.
  expect(document.servers.map(({ url }) => new URL(url, world.baseUrl).origin)).toEqual([world.baseUrl]);
  expect(operations.length).toBeGreaterThan(20);
});

test("the document is small enough to be read by every client that starts", () => {
  expect(text.length).toBeLessThan(400 * 1024);
});

test("the document in the bucket is the one that the declarations make", async () => {
  expect(text).toBe(JSON.stringify({ ...(await readApiDocument()), servers: [{ url: "/" }] }));
});

test.each(["identity", "gzip", "br"])("the document is the same for a client that accepts %s", async (coding) => {
  const asked = { path: "/api/openapi.json", headers: { "accept-encoding": coding } };
  const whole = await exchange(world.baseUrl, asked);
  expect([whole.status, whole.headers["content-type"]]).toEqual([200, "application/json"]);
  expect(decode(whole.bytes, whole.headers["content-encoding"])).toBe(text);
  const head = await exchange(world.baseUrl, { ...asked, method: "HEAD" });
  expect([head.status, head.text, head.headers.etag]).toEqual([200, "", whole.headers.etag]);
});

/** The text of a body, which a proxy may have compressed. */
function decode(bytes: Buffer, coding = "identity"): string {
  const decoders: Record<string, (packed: Buffer) => Buffer> = { gzip: gunzipSync, br: brotliDecompressSync };
  return (decoders[coding]?.(bytes) ?? bytes).toString();
}

test("every path starts with /api and every operation is complete", () => {
  for (const { method, path, operation } of operations) {
    expect(path).toMatch(/^\/api\/[^?#]+$/);
    expect(methods).toContain(method);
    expect(operation.summary).toMatch(/\S/);
    expect(operation.tags.length).toBeGreaterThan(0);
    const statuses = Object.keys(operation.responses);
    const successes = statuses.filter((status) => /^(101|2\d\d|302)$/.test(status));
    expect(successes).toEqual(severalSuccesses[`${method} ${path}`] ?? [expect.any(String)]);
    for (const response of Object.values(operation.responses)) expect(response.description).toMatch(/\S/);
  }
});

test("every operation has a unique id", () => {
  const ids = operations.map(({ operation }) => operation.operationId);
  for (const id of ids) expect(id).toMatch(/^[A-Za-z][A-Za-z0-9]*$/);
  expect(new Set(ids).size).toBe(ids.length);
});

test("exactly the parameters of the path are declared", () => {
  for (const { path, operation } of operations) {
    const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
    const declared = operation.parameters.filter((parameter) => parameter.in === "path");
    expect(declared.map(({ name }) => name)).toEqual(inPath);
    for (const parameter of declared) expect(parameter.required).toBe(true);
    const keys = operation.parameters.map((parameter) => `${parameter.in} ${parameter.name}`);
    expect(new Set(keys).size).toBe(keys.length);
  }
});

test("every reference exists in the document", () => {
  const references = listReferences(document);
  expect(references.length).toBeGreaterThan(0);
  for (const reference of references) expect(resolve(reference)).toEqual(expect.any(Object));
});

/** An operation without credentials of its own has those of the document. */
const securityOf = (operation: Operation | undefined) => operation?.security ?? document.security;

test("every error has the error envelope, and routes with a key document it", () => {
  for (const { operation } of operations) {
    const isPublic = securityOf(operation).length === 0;
    expect(Object.hasOwn(operation.responses, "401")).toBe(!isPublic);
    const failures = Object.entries(operation.responses).filter(([status]) => !(Number(status) < 400));
    for (const [, { content }] of failures) {
      expect(content?.["application/json"]?.schema).toEqual({ $ref: "#/components/schemas/Error" });
    }
  }
});

test("a route only for browser sessions or API keys documents it", () => {
  const getSecurity = (method: string, path: string) => securityOf(document.paths[path]?.[method]);
  expect(getSecurity("get", "/api/user/api-keys")).toEqual([{ browserSession: [] }]);
  expect(getSecurity("delete", "/api/user/api-keys/current")).toEqual([{ apiKey: [] }]);
  expect(getSecurity("get", "/api/models")).toEqual([{ apiKey: [] }, { browserSession: [] }]);
  expect(Object.keys(document.components.securitySchemes).sort()).toEqual(["apiKey", "browserSession", "signature"]);
  expect(getSecurity("post", "/api/webhooks/github")).toEqual([{ signature: [] }]);
});

test("every documented operation exists: it requires a key or is public", async () => {
  for (const { method, path, operation } of operations) {
    const filled = path.replace(/\{(\w+)\}/g, world.projectId);
    const { status, text } = await exchange(world.baseUrl, { method: method.toUpperCase(), path: filled });
    // An operation that allows anonymous callers has an alternative without requirements.
    const alternatives = securityOf(operation);
    const isPublic = alternatives.length === 0 || alternatives.some((one) => Object.keys(Object(one)).length === 0);
    const error = status >= 400 ? JSON.parse(text).error : null;
    expect({ path, error }).not.toEqual({ path, error: expect.stringMatching(/^There is no such path\./) });
    expect({ path, isRefused: status === 401 }).toEqual({ path, isRefused: !isPublic });
  }
});

function listReferences(value: unknown): string[] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, item]) =>
    key === "$ref" && typeof item === "string" ? [item] : listReferences(item),
  );
}

function resolve(reference: string): unknown {
  const [root, ...parts] = reference.split("/");
  expect(root).toBe("#");
  return parts.reduce<unknown>(
    (found, part) => Object(found)[part.replaceAll("~1", "/").replaceAll("~0", "~")],
    document,
  );
}
