// Builds one operation of the OpenAPI document from an endpoint.
import { permissions } from "../../access/rules/permission-table.ts";
import { attachmentCount } from "../../rules/limits.ts";
import type { Endpoint } from "../endpoint.ts";
import { idempotencyHeader, idempotencyHeaderPattern } from "../idempotency-key.ts";
import { isUuidParameter, listParameters } from "../path-parameters.ts";
import { eventStreamType } from "../response.ts";
import { createExample, isComposable } from "./examples.ts";
import type { Failures } from "./failures.ts";
import { getPathParameter } from "./path-parameters.ts";
import { type ConvertedSchemas, findResponseSchema, type JsonSchema } from "./schemas.ts";

type Parameter = {
  name: string;
  in: "path" | "query" | "header";
  required?: boolean;
  description: string;
  schema: JsonSchema;
};

/** The response headers, by name, but for `X-Request-Id`, which the document's description has. */
const headers = {
  "Retry-After": {
    description: "The seconds to wait before a retry, if known.",
    schema: { type: "integer", minimum: 1 },
  },
  Allow: { description: "The methods that the path supports.", schema: { type: "string" } },
  ETag: { description: "Changes when the response does.", schema: { type: "string" } },
  Location: {
    description: "The address that the browser is redirected to.",
    schema: { type: "string", format: "uri" },
  },
} as const;

export const componentHeaders = headers;

/** The headers of a response, by reference. */
export const toHeaders = (...names: string[]) =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));

interface Parts {
  requests: ConvertedSchemas;
  answers: ConvertedSchemas;
  failures: Failures;
}

const nothing = { $ref: "#/components/responses/NoContent" };

/** The response without a body, which many operations refer to. */
export const noContentResponse = { description: "Done." };

/** The parameters of a path, which all of its operations have. */
export const createPathParameters = (path: string) => listParameters(path).map(parameter);

/** Builds the operation of an endpoint, without the parameters of its path. */
export function createOperation(endpoint: Endpoint, { requests, answers, failures }: Parts) {
  const { operation, summary, tag, repeatResponse, emptyResponse, hasETag, body, query } = endpoint;
  const first = firstSentence(summary);
  const parameters = [...(query ? queryParameters(requests.of(query)) : []), ...headerParameters(endpoint)];
  const success = endpoint.response.status === 204 ? nothing : toSuccess(endpoint, answers);
  return {
    operationId: operation,
    summary: first,
    ...(first !== summary && { description: summary.slice(first.length).trim() }),
    tags: [tag],
    ...(isUsual(toSecurity(endpoint)) ? {} : { security: toSecurity(endpoint) }),
    ...(parameters.length > 0 && { parameters }),
    ...(body && { requestBody: toRequestBody(body, requests) }),
    responses: {
      [endpoint.response.status]: success,
      ...(repeatResponse && { 200: { ...success, description: repeatResponse } }),
      ...(hasETag && { 304: { description: "The document has not changed.", headers: toHeaders("ETag") } }),
      ...(emptyResponse && { 204: { description: emptyResponse, ...tagHeader(endpoint) } }),
      ...failures.of(endpoint),
    },
  };
}

function firstSentence(text: string): string {
  return /^.*?\.(?=\s|$)/.exec(text)?.[0] ?? text;
}

type Security = Record<string, string[]>[];

/** The credentials of an operation that names none. */
export const usualSecurity: Security = [{ apiKey: [] }, { browserSession: [] }];

const isUsual = (security: Security) => JSON.stringify(security) === JSON.stringify(usualSecurity);

/** The alternative credentials that a route accepts. */
function toSecurity({ access, isSigned, isKeyed, allowsAnonymous }: Endpoint): Security {
  if (isSigned) return [{ signature: [] }];
  if (isKeyed) return [{ apiKey: [] }];
  if (access === "public") return [];
  const [, browser, apiKey] = permissions[access];
  return [
    ...(apiKey === "yes" ? [{ apiKey: [] }] : []),
    ...(browser === "yes" ? [{ browserSession: [] }] : []),
    ...(allowsAnonymous ? [{}] : []),
  ];
}

function toRequestBody({ schema, form, mediaTypes }: NonNullable<Endpoint["body"]>, requests: ConvertedSchemas) {
  if (mediaTypes) {
    const bytes = {
      schema: { type: "string", format: "binary", description: schema.description },
      example: "The bytes.",
    };
    return { required: true, content: Object.fromEntries(mediaTypes.map((type) => [type, bytes])) };
  }
  const content = ({ examples, ...converted }: JsonSchema) => ({
    schema: converted,
    // The example of the whole body is here only, because the document would have it twice.
    example: createExample(examples ? { examples } : converted, requests.named),
  });
  return {
    // A body is optional unless the document says otherwise.
    ...(schema.safeParse(undefined).success ? {} : { required: true }),
    content: {
      "application/json": content(requests.of(schema)),
      ...(form && { "multipart/form-data": content(withFiles(requests.of(form.schema))) }),
    },
  };
}

/** A file of a form, as component. */
export const attachedFile = { type: "string", format: "binary", description: "A file, with its name." };

/** The schema of a form: its text fields, its files, and the number of files. */
function withFiles(fields: JsonSchema): JsonSchema {
  const places = Array.from({ length: attachmentCount }, (_, place) => place);
  const file = { $ref: "#/components/schemas/AttachedFile" };
  const files = Object.fromEntries(places.map((place) => [`attachment_${place}`, file]));
  const count = { type: "integer", minimum: 0, description: "The number of files in the form." };
  return { ...fields, properties: { ...fields.properties, attachmentCount: count, ...files } };
}

function toSuccess(endpoint: Endpoint, answers: ConvertedSchemas) {
  const { status, mediaType = "application/json" } = endpoint.response;
  if (status === 101) return { description: "A WebSocket." };
  if (status === 302) return { description: "Redirects the browser.", headers: toHeaders("Location") };
  const answered = findResponseSchema(endpoint);
  const schema = answered && answers.of(answered);
  const events = endpoint.response.events && answers.of(endpoint.response.events);
  return {
    description: "Done.",
    ...tagHeader(endpoint),
    ...(schema && {
      content: {
        [mediaType]: {
          schema: withoutExamples(schema),
          ...(!isComposable(schema, answers.named) && { example: createExample(schema, answers.named) }),
          // The version of OpenAPI has no place for the data of events by their names.
          ...(events && { "x-events": events }),
        },
      },
    }),
  };
}

const tagHeader = ({ hasETag, response }: Endpoint) =>
  hasETag || response.isTagged ? { headers: toHeaders("ETag") } : {};

/** The example of the whole response contains those of its parts without a name. */
function withoutExamples({ examples: _, properties, ...schema }: JsonSchema): JsonSchema {
  if (!properties) return schema;
  const parts = Object.entries(properties).map(([name, part]) => [name, withoutExamples(part)]);
  return { ...schema, properties: Object.fromEntries(parts) };
}

/** The parameters that operations refer to: those of paths, and the headers. */
export function createComponentParameters(endpoints: readonly Endpoint[]): Record<string, Parameter> {
  const names = new Set(endpoints.flatMap(({ path }) => listParameters(path)));
  const ofPaths = [...names].map((name): [string, Parameter] => {
    const { description, example } = getPathParameter(name);
    const schema = { type: "string", ...(isUuidParameter(name) && { format: "uuid" }), examples: [example] };
    return [name, { name, in: "path", required: true, description, schema }];
  });
  return {
    ...Object.fromEntries(ofPaths),
    "Last-Event-ID": lastEventId,
    "If-None-Match": knownTags,
    [idempotencyHeader]: idempotencyKey,
  };
}

const lastEventId: Parameter = {
  name: "Last-Event-ID",
  in: "header",
  description: "The id of the last event that the client saw; the stream continues after it.",
  schema: { type: "string" },
};

const knownTags: Parameter = {
  name: "If-None-Match",
  in: "header",
  description: "The ETag of the response that the client has. If it has not changed, the response is 304.",
  schema: { type: "string" },
};

const idempotencyKey: Parameter = {
  name: idempotencyHeader,
  in: "header",
  description: "The same key and body within 24 hours get the first response again.",
  schema: { type: "string", pattern: idempotencyHeaderPattern },
};

const parameter = (name: string) => ({ $ref: `#/components/parameters/${name}` });

function queryParameters({ properties = {}, required = [] }: JsonSchema): Parameter[] {
  return Object.entries(properties).map(([name, { description = "", ...schema }]) => {
    return { name, in: "query", ...(required.includes(name) && { required: true }), description, schema };
  });
}

function headerParameters({ isRepeatable, hasETag, response }: Endpoint) {
  if (response.mediaType === eventStreamType) return [parameter("Last-Event-ID")];
  if (hasETag) return [parameter("If-None-Match")];
  return isRepeatable ? [parameter(idempotencyHeader)] : [];
}
