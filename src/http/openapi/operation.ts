// Builds one operation of the OpenAPI document from an endpoint.
import { permissions } from "../../access/rules/permission.ts";
import { attachmentCount } from "../../rules/limits.ts";
import { type RefusalCode, refusals } from "../../rules/refusal.ts";
import type { Endpoint } from "../endpoint.ts";
import { idempotencyHeader, idempotencyHeaderPattern } from "../idempotency-key.ts";
import { parametersOf, pathParameter } from "../path-parameters.ts";
import { eventStreamType } from "../response.ts";
import { answerOf, type ConvertedSchemas, type JsonSchema, type NamedSchemas } from "./schemas.ts";

type Parameter = {
  name: string;
  in: "path" | "query" | "header";
  required: boolean;
  description: string;
  schema: JsonSchema;
};

/** The response headers, by name. */
export const componentHeaders = {
  "X-Request-Id": {
    description: "Names the request, for the operator of the service.",
    schema: { type: "string", format: "uuid" },
  },
  "Retry-After": {
    description: "After how many seconds it is worth asking again, where that is known.",
    schema: { type: "integer", minimum: 1 },
  },
  Allow: { description: "The methods that the path has.", schema: { type: "string" } },
  Location: { description: "Where the browser is led.", schema: { type: "string", format: "uri" } },
} as const;

const headersOf = (...names: (keyof typeof componentHeaders)[]) =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));

export function operationOf(endpoint: Endpoint, requests: ConvertedSchemas, answers: ConvertedSchemas) {
  const { operation, path, summary, tag, answersAgain, answersNothing, body, query } = endpoint;
  const success = successOf(endpoint, answers);
  return {
    operationId: operation,
    summary: firstSentence(summary),
    description: summary,
    tags: [tag],
    security: securityOf(endpoint),
    parameters: [
      ...pathParametersOf(path),
      ...(query ? queryParameters(requests.of(query)) : []),
      ...headerParameters(endpoint),
    ],
    ...(body && { requestBody: requestBodyOf(body, requests) }),
    responses: {
      [endpoint.answers.status]: success,
      ...(answersAgain && { 200: { ...success, description: answersAgain } }),
      ...(answersNothing && { 204: { description: answersNothing, headers: headersOf("X-Request-Id") } }),
      ...failuresOf(endpoint),
      // Clients expect a JSON error from every operation, including redirects.
      ...(endpoint.answers.status === 302 && { default: failureOf("default", ["INTERNAL_ERROR"]) }),
    },
  };
}

function firstSentence(text: string): string {
  return /^.*?\.(?=\s|$)/.exec(text)?.[0] ?? text;
}

/** The alternative credentials that a route accepts. */
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

function requestBodyOf({ schema, form, mediaTypes }: NonNullable<Endpoint["body"]>, requests: ConvertedSchemas) {
  if (mediaTypes) {
    const bytes = {
      schema: { type: "string", format: "binary", description: schema.description },
      example: "The bytes.",
    };
    return { required: true, content: Object.fromEntries(mediaTypes.map((type) => [type, bytes])) };
  }
  const content = (converted: JsonSchema) => ({ schema: converted, example: exampleOf(converted, requests.named) });
  return {
    required: !schema.safeParse(undefined).success,
    content: {
      "application/json": content(requests.of(schema)),
      ...(form && { "multipart/form-data": content(withFiles(requests.of(form.schema))) }),
    },
  };
}

/** The schema of a form: its text fields, its files, and the number of files. */
function withFiles(fields: JsonSchema): JsonSchema {
  const places = Array.from({ length: attachmentCount }, (_, place) => place);
  const file = (place: number) => ({
    type: "string",
    format: "binary",
    description: `File ${place + 1}, with its name.`,
  });
  const files = Object.fromEntries(places.map((place) => [`attachment_${place}`, file(place)]));
  const count = { type: "integer", minimum: 0, description: "How many files come with the form." };
  return { ...fields, properties: { ...fields.properties, attachmentCount: count, ...files } };
}

function successOf(endpoint: Endpoint, answers: ConvertedSchemas) {
  const { status, mediaType = "application/json" } = endpoint.answers;
  if (status === 302) return { description: "Leads the browser on.", headers: headersOf("Location", "X-Request-Id") };
  const answered = answerOf(endpoint);
  const schema = answered && answers.of(answered);
  return {
    description: "Done.",
    headers: headersOf("X-Request-Id"),
    ...(schema && { content: { [mediaType]: { schema, example: exampleOf(schema, answers.named) } } }),
  };
}

/** The errors of every body. A body may also arrive too slowly, or find no free memory. */
const ofBodies = ["BAD_REQUEST", "PAYLOAD_TOO_LARGE", "UNSUPPORTED_MEDIA_TYPE", "SERVICE_UNAVAILABLE"] as const;

function failuresOf({ method, access, query, isRepeatable, refusals: own = [] }: Endpoint) {
  const codes = new Set<RefusalCode>([...own, "VALIDATION_ERROR", "METHOD_NOT_ALLOWED", "INTERNAL_ERROR"]);
  // Reads return it while the service is being updated.
  if (method === "GET") codes.add("SERVICE_UNAVAILABLE");
  if (access !== "public")
    for (const code of ["UNAUTHORIZED", "FORBIDDEN", "NOT_FOUND", "TOO_MANY_REQUESTS"] as const) codes.add(code);
  if (query) codes.add("BAD_REQUEST");
  if (method !== "GET") for (const code of ofBodies) codes.add(code);
  if (isRepeatable) codes.add("IDEMPOTENCY_KEY_REUSED");
  const byStatus = Map.groupBy(codes, (code) => refusals[code].status);
  return Object.fromEntries([...byStatus].map(([status, ofStatus]) => [status, failureOf(status, ofStatus)]));
}

function failureOf(status: number | "default", codes: RefusalCode[]) {
  const [code] = codes;
  const example = code && { error: refusals[code].message, code };
  return {
    description: codes.map((one) => `${one}: ${refusals[one].message}`).join("\n"),
    headers: headersOf("X-Request-Id", ...failureHeaders(status)),
    content: { "application/json": { schema: { $ref: "#/components/schemas/Error" }, example } },
  };
}

function failureHeaders(status: number | "default"): (keyof typeof componentHeaders)[] {
  if (status === refusals.METHOD_NOT_ALLOWED.status) return ["Allow"];
  const isPassing = status === refusals.TOO_MANY_REQUESTS.status || status === refusals.SERVICE_UNAVAILABLE.status;
  return isPassing ? ["Retry-After"] : [];
}

function pathParametersOf(path: string): Parameter[] {
  return parametersOf(path).map((name) => {
    const { description, isUuid, example } = pathParameter(name);
    const schema = { type: "string", ...(isUuid && { format: "uuid" }), examples: [example] };
    return { name, in: "path", required: true, description, schema };
  });
}

function queryParameters({ properties = {}, required = [] }: JsonSchema): Parameter[] {
  return Object.entries(properties).map(([name, { description = "", ...schema }]) => {
    return { name, in: "query", required: required.includes(name), description, schema };
  });
}

function headerParameters({ isRepeatable, answers }: Endpoint): Parameter[] {
  if (answers.mediaType === eventStreamType) {
    const description = "The id of the last event that the client saw; the stream continues after it.";
    return [{ name: "Last-Event-ID", in: "header", required: false, description, schema: { type: "string" } }];
  }
  if (!isRepeatable) return [];
  const description = "The same key and body within 24 hours get the first answer again.";
  const schema = { type: "string", pattern: idempotencyHeaderPattern };
  return [{ name: idempotencyHeader, in: "header", required: false, description, schema }];
}

/** The example of a text without one. */
export const noExample = "…";

/** Composes the example of a schema: its own example, or one from its required parts. */
function exampleOf(schema: JsonSchema, named: NamedSchemas): unknown {
  if (schema.examples) return schema.examples[0];
  if (schema.const !== undefined) return schema.const;
  if (schema.default !== undefined) return schema.default;
  if (schema.enum) return schema.enum[0];
  if (schema.$ref) return exampleOf(named[nameIn(schema.$ref)] ?? {}, named);
  const [alternative] = schema.oneOf ?? schema.anyOf ?? [];
  if (alternative) return exampleOf(alternative, named);
  switch (Array.isArray(schema.type) ? schema.type[0] : schema.type) {
    case "object": {
      const required = (schema.required ?? []).map((name) => [name, exampleOf(schema.properties?.[name] ?? {}, named)]);
      return Object.fromEntries(required);
    }
    case "array":
      return schema.items ? [exampleOf(schema.items, named)] : [];
    case "integer":
    case "number":
      return schema.minimum ?? 1;
    case "boolean":
      return false;
    case "null":
      return null;
    default:
      return noExample;
  }
}

function nameIn(reference: string): string {
  return reference.slice(reference.lastIndexOf("/") + 1);
}
