// The OpenAPI 3.1 document, built from the endpoints' own declarations.
import * as z from "zod";
import { permissions } from "../rules/access/permission.ts";
import { attachmentCount } from "../rules/limits.ts";
import { type RefusalCode, refusals } from "../rules/refusal.ts";
import { eventStreamType } from "./answer.ts";
import { sessionCookie } from "./credential.ts";
import type { Endpoint } from "./endpoint.ts";
import { idempotencyHeader, idempotencyHeaderPattern } from "./idempotency.ts";

const errorSchema = z
  .object({ error: z.string(), code: z.string(), details: z.unknown().optional() })
  .meta({ description: "Every failure has this form." });

const paginationSchema = z.object({
  page: z.int(),
  totalPages: z.int(),
  pageSize: z.int(),
  total: z.int(),
  hasMore: z.boolean(),
});

/** Builds the document for the service at `serverUrl`. */
export function openApiDocument(endpoints: Endpoint[], serverUrl: string) {
  const paths: Record<string, Record<string, unknown>> = {};
  for (const endpoint of endpoints) {
    paths[endpoint.path] = { ...paths[endpoint.path], [endpoint.method.toLowerCase()]: operationOf(endpoint) };
  }
  const lifted = liftDefinitions(paths);
  return {
    openapi: "3.1.0",
    info: { title: "Switchyard", version: "1", description: "Hosts an AI coding agent for teams, at the edge." },
    servers: [{ url: serverUrl }],
    security: [{ apiKey: [] }, { browserSession: [] }],
    paths: lifted.paths,
    components: {
      securitySchemes: {
        apiKey: { type: "http", scheme: "bearer" },
        browserSession: { type: "apiKey", in: "cookie", name: sessionCookie },
        signature: { type: "apiKey", in: "header", name: "X-Hub-Signature-256" },
      },
      schemas: { Error: schemaOf(errorSchema, "output"), ...lifted.definitions },
    },
  };
}

/** Puts what a schema refers to, as one does that holds itself, where references of the document lead. */
function liftDefinitions(paths: Record<string, Record<string, unknown>>) {
  const definitions: Record<string, unknown> = {};
  const text = JSON.stringify(paths).replaceAll('"#/$defs/', '"#/components/schemas/');
  const lifted: typeof paths = JSON.parse(text, (key, value: unknown) => {
    if (key !== "$defs") return value;
    Object.assign(definitions, value);
    return undefined;
  });
  return { paths: lifted, definitions };
}

function operationOf(endpoint: Endpoint) {
  const { method, path, summary, tag, answers, answersAgain, answersNothing, body, query } = endpoint;
  const named = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
    name,
    in: "path",
    required: true,
    schema: { type: "string" },
  }));
  return {
    operationId: `${method.toLowerCase()}${path.replace(/^\/api/, "").replace(/[^A-Za-z0-9]+(\w)?/g, (_, next = "") => next.toUpperCase())}`,
    summary,
    tags: [tag],
    security: securityOf(endpoint),
    parameters: [...named, ...queryParameters(query), ...headerParameters(endpoint)],
    ...(body
      ? {
          requestBody: {
            required: !body.schema.safeParse(undefined).success,
            content: {
              "application/json": { schema: schemaOf(body.schema, "input") },
              ...(body.form ? { "multipart/form-data": { schema: formSchemaOf(body.form.schema) } } : {}),
            },
          },
        }
      : {}),
    responses: {
      [answers.status]: successOf(answers),
      ...(answersAgain && { 200: { ...successOf(answers), description: answersAgain } }),
      ...(answersNothing && { 204: { description: answersNothing } }),
      ...failuresOf(endpoint),
    },
  };
}

/** The credentials of a user that a route takes, any one of them. */
function securityOf({ access, isSigned, allowsAnonymous }: Endpoint): Record<string, string[]>[] {
  if (isSigned) return [{ signature: [] }];
  if (access === "public") return [];
  const [, browser, apiKey] = permissions[access];
  return [
    ...(apiKey === "yes" ? [{ apiKey: [] }] : []),
    ...(browser === "yes" ? [{ browserSession: [] }] : []),
    ...(allowsAnonymous ? [{}] : []),
  ];
}

function successOf({ status, data, isPaged, isBare, mediaType }: Endpoint["answers"]) {
  if (mediaType)
    return { description: "Done.", content: { [mediaType]: data ? { schema: schemaOf(data, "output") } : {} } };
  if (status === 302)
    return { description: "Leads the browser on.", headers: { location: { schema: { type: "string" } } } };
  if (status === 204 || !data) return { description: "Done." };
  const schema = isBare
    ? data
    : z.object({ data, ...(isPaged ? { meta: z.object({ pagination: paginationSchema }) } : {}) });
  return { description: "Done.", content: { "application/json": { schema: schemaOf(schema, "output") } } };
}

function failuresOf({ method, access, query, isRepeatable, refusals: own = [] }: Endpoint) {
  const codes = new Set<RefusalCode>([...own, "VALIDATION_ERROR", "METHOD_NOT_ALLOWED", "INTERNAL_ERROR"]);
  if (access !== "public")
    for (const code of ["UNAUTHORIZED", "FORBIDDEN", "NOT_FOUND", "TOO_MANY_REQUESTS"] as const) codes.add(code);
  if (query) codes.add("BAD_REQUEST");
  if (method !== "GET") for (const code of ["PAYLOAD_TOO_LARGE", "UNSUPPORTED_MEDIA_TYPE"] as const) codes.add(code);
  if (isRepeatable) codes.add("IDEMPOTENCY_KEY_REUSED");
  const byStatus = Object.groupBy(codes, (code) => refusals[code].status);
  return Object.fromEntries(
    Object.entries(byStatus).map(([status, codesOfStatus = []]) => [
      status,
      {
        description: codesOfStatus.map((code) => `${code}: ${refusals[code].message}`).join("\n"),
        content: { "application/json": { schema: { $ref: "#/components/schemas/Error" } } },
      },
    ]),
  );
}

function queryParameters(query: z.ZodType | undefined) {
  if (!query) return [];
  const { properties = {}, required = [] } = schemaOf(query, "input");
  return Object.entries(properties).map(([name, schema]) => ({
    name,
    in: "query",
    required: required.includes(name),
    schema,
  }));
}

function headerParameters({ isRepeatable, answers }: Endpoint) {
  if (answers.mediaType === eventStreamType) {
    const description = "The last event that the client saw.";
    return [{ name: "Last-Event-ID", in: "header", required: false, description, schema: { type: "string" } }];
  }
  if (!isRepeatable) return [];
  const description = "The same key and body within 24 hours get the first answer again.";
  const schema = { type: "string", pattern: idempotencyHeaderPattern };
  return [{ name: idempotencyHeader, in: "header", required: false, description, schema }];
}

/** A form holds its text fields, files, and how many files there are. */
function formSchemaOf(fields: z.ZodType) {
  const { properties, ...document } = schemaOf(fields, "input");
  const places = Array.from({ length: attachmentCount }, (_, place) => place);
  const file = { type: "string", format: "binary" };
  const files = Object.fromEntries(places.map((place) => [`attachment_${place}`, file]));
  return { ...document, properties: { ...properties, attachmentCount: { type: "integer", minimum: 0 }, ...files } };
}

function schemaOf(schema: z.ZodType, io: "input" | "output") {
  const { $schema: _, ...document } = z.toJSONSchema(schema, { io, unrepresentable: "any" });
  return document;
}
