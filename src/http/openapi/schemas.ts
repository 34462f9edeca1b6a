// Converts the zod schemas of all endpoints to JSON Schema. A named schema is included once.
import * as z from "zod";
import { paginationSchema } from "../../lib/pagination.ts";
import type { Endpoint } from "../endpoint.ts";

/** The part of JSON Schema that zod generates. */
export interface JsonSchema {
  $ref?: string;
  type?: string | string[];
  format?: string;
  pattern?: string;
  const?: unknown;
  enum?: unknown[];
  default?: unknown;
  description?: string;
  examples?: unknown[];
  properties?: Record<string, JsonSchema>;
  required?: string[];
  additionalProperties?: boolean | JsonSchema;
  items?: JsonSchema;
  oneOf?: JsonSchema[];
  anyOf?: JsonSchema[];
  minimum?: number;
  maximum?: number;
  discriminator?: { propertyName: string; mapping: Record<string, string> };
}

export type NamedSchemas = Record<string, JsonSchema>;

export interface ConvertedSchemas {
  /** The JSON Schema of a zod schema. */
  of(schema: z.ZodType): JsonSchema;
  /** All named schemas. */
  named: NamedSchemas;
}

const componentPath = "#/components/schemas/";

/**
 * Converts all schemas in one pass. Request objects are closed if their schemas are. Response
 * objects are open, so that a new field breaks no client.
 */
export function toJsonSchemas(schemas: Iterable<z.ZodType>, io: "input" | "output"): ConvertedSchemas {
  const places = new Map([...new Set(schemas)].map((schema, place) => [schema, String(place)]));
  const all = z.object(Object.fromEntries([...places].map(([schema, place]) => [place, schema])));
  const override: Override = ({ zodSchema, jsonSchema }) => {
    shorten(jsonSchema);
    if (io === "input") asBoolean(jsonSchema);
    if (io === "output" && jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties;
    // zod treats an example as a value after the transform. The examples of requests are values
    // before it.
    const { examples } = z.globalRegistry.get(zodSchema) ?? {};
    if (io === "input" && Array.isArray(examples) && !jsonSchema.$ref) jsonSchema.examples = examples;
    const discriminator = findDiscriminator(zodSchema);
    if (discriminator && !jsonSchema.$ref) jsonSchema.discriminator = discriminator;
  };
  const converted = z.toJSONSchema(all, { io, unrepresentable: "any", override });
  const text = JSON.stringify(converted).replaceAll('"#/$defs/', `"${componentPath}`);
  const { properties = {}, $defs = {} }: JsonSchema & { $defs?: NamedSchemas } = JSON.parse(text, (_, part) =>
    mergeNull(part),
  );
  // zod repeats the name as `id` within the schema, where it would be interpreted as a URL.
  for (const schema of Object.values($defs)) if ("id" in schema) delete schema.id;
  return { of: (schema) => properties[places.get(schema) ?? ""] ?? {}, named: $defs };
}

const mergeable: unknown[] = ["string", "number", "integer"];

/** A text or number that may be null: one schema with two types, not a choice of two schemas. */
function mergeNull<Part>(part: Part): Part {
  const { anyOf, ...others } = (part ?? {}) as JsonSchema;
  const [value, none, ...more] = Array.isArray(anyOf) ? anyOf : [];
  if (!value || none?.type !== "null" || more.length > 0) return part;
  if (!mergeable.includes(value.type) || "const" in value) return part;
  const { enum: values } = value;
  return { ...value, ...others, type: [value.type, "null"], ...(values && { enum: [...values, null] }) } as Part;
}

type Override = NonNullable<NonNullable<Parameters<typeof z.toJSONSchema>[1]>["override"]>;

/** Removes noise: the pattern of a format, and the bounds of every integer. */
function shorten(schema: z.core.JSONSchema.BaseSchema): void {
  if (schema.format === "uuid" || schema.format === "date-time") delete schema.pattern;
  if (schema.minimum === Number.MIN_SAFE_INTEGER) delete schema.minimum;
  if (schema.maximum === Number.MAX_SAFE_INTEGER) delete schema.maximum;
  // JSON Schema has no such format; the pattern expresses the same.
  if (schema.format === "starts_with") delete schema.format;
  // The names of an object are texts, whatever the schema says.
  if (JSON.stringify(schema.propertyNames) === '{"type":"string"}') delete schema.propertyNames;
}

/**
 * A flag is a text in a query and in a form. Generated clients get a boolean, which they write as
 * that text.
 */
function asBoolean(schema: z.core.JSONSchema.BaseSchema): void {
  if (schema.enum?.join() === "true,false") {
    schema.type = "boolean";
    delete schema.enum;
  }
  if (schema.type === "boolean" && typeof schema.default === "string") schema.default = schema.default === "true";
}

/**
 * The discriminator of a union: its field, and the alternative for each value. Null if an
 * alternative has no name to refer to.
 */
function findDiscriminator(schema: z.core.$ZodType): JsonSchema["discriminator"] | null {
  if (!(schema instanceof z.ZodDiscriminatedUnion)) return null;
  const { discriminator: propertyName, options } = schema.def;
  const mapping = options.map((option: z.core.$ZodType) => {
    const literal = option instanceof z.ZodObject ? option.shape[propertyName] : null;
    const name = z.globalRegistry.get(option)?.id;
    return { value: literal instanceof z.ZodLiteral ? String(literal.value) : "", name };
  });
  if (mapping.some(({ name }) => name === undefined)) return null;
  return {
    propertyName,
    mapping: Object.fromEntries(mapping.map(({ value, name }) => [value, `${componentPath}${name}`])),
  };
}

const wireAnswers = new WeakMap<Endpoint, z.ZodType>();

const pagedMeta = z
  .object({ pagination: paginationSchema })
  .meta({ id: "PageMeta", description: "Metadata of the list." });

/** The schemas of an endpoint's query and body. */
export function listRequestSchemas({ query, body }: Endpoint): z.ZodType[] {
  // A body of bytes has media types instead of a schema.
  return [query, body?.mediaTypes ? undefined : body?.schema, body?.form?.schema].filter(
    (schema) => schema !== undefined,
  );
}

/** The schemas of an endpoint's response and of its events. */
export function getAnswerSchemas(endpoint: Endpoint): z.ZodType[] {
  return [findResponseSchema(endpoint), endpoint.response.events].filter(
    (schema) => schema !== null && schema !== undefined,
  );
}

/** The schema of an endpoint's response, with its envelope; null for a response without a body. */
export function findResponseSchema(endpoint: Endpoint): z.ZodType | null {
  const { data, isBare, isPaged, meta, mediaType } = endpoint.response;
  if (!data) return null;
  if (isBare || mediaType) return data;
  const known = wireAnswers.get(endpoint);
  if (known) return known;
  const told = isPaged ? pagedMeta : meta;
  const envelope = z.object({ data, ...(told && { meta: told }) });
  wireAnswers.set(endpoint, envelope);
  return envelope;
}
