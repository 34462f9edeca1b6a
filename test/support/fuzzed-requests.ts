// Generates requests from the OpenAPI document and makes them invalid: wrong types, sizes,
// encodings, methods and ids. A seed always generates the same requests.
import { randomUUID } from "node:crypto";
import type { Exchange } from "./http-exchange.ts";
import type { RandomSource } from "./random-source.ts";

interface Schema {
  $ref?: string;
  type?: string | string[];
  enum?: unknown[];
  const?: unknown;
  anyOf?: Schema[];
  oneOf?: Schema[];
  allOf?: Schema[];
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
}

interface Operation {
  operationId: string;
  parameters?: { name: string; in: string; schema: Schema }[];
  requestBody?: { content: Record<string, { schema: Schema }> };
}

export interface ApiDocument {
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Schema> };
}

/** The ids for each parameter, of the caller and of others, and the credentials. */
export interface Known {
  ids: Record<string, string[]>;
  headers: Record<string, string>[];
}

export interface FuzzedRequest extends Exchange {
  /** The operation of the OpenAPI document. */
  operationId: string;
}

const methods = ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS", "PROPFIND"] as const;

/** Unusual values for a text. */
const oddTexts = [
  "",
  " ",
  "0",
  "-1",
  "1e309",
  "NaN",
  "null",
  "true",
  "../../etc/passwd",
  "%00",
  "%ff%fe",
  "a\0b",
  "\ud800",
  "💥",
  "' OR 1=1 --",
  "<script>",
  "a b&c=d#e",
  "[]",
  "{}",
  "x".repeat(5_000),
] as const;
const oddValues = [null, true, -1, 0.5, 1e308, Number.MAX_SAFE_INTEGER, [], {}, [[[]]], { a: { b: [1] } }] as const;

/** Generates requests without end. */
export function fuzzedRequests({ paths, components }: ApiDocument, known: Known, random: RandomSource) {
  const operations = Object.entries(paths).flatMap(([path, byMethod]) =>
    Object.entries(byMethod).map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
  );
  const pick = <Value>(values: readonly Value[]) => values[random.below(values.length)] as Value;

  const oddText = () => (random.oneIn(12) ? pick(["(", "[", "- ", "a,"]).repeat(20_000) : pick(oddTexts));
  const odd = (): unknown => (random.oneIn(2) ? oddText() : random.oneIn(20) ? nested(2_000) : pick(oddValues));

  /** Encodes a text for a URL, within the length that servers and proxies accept. */
  const inAddress = (text: string) => encodeURIComponent(text.slice(0, 500).toWellFormed());

  function textFor(name: string): string {
    const ids = known.ids[name];
    if (ids && !random.oneIn(8)) return pick(ids);
    if (/Id$/.test(name) && random.oneIn(2)) return randomUUID();
    return oddText();
  }

  /** A value of this schema, or sometimes another value. */
  function valueLike(schema: Schema, name: string, depth = 0): unknown {
    if (random.oneIn(10)) return odd();
    const shape = schema.$ref ? (components.schemas[schema.$ref.split("/").at(-1) ?? ""] ?? {}) : schema;
    const choices = shape.anyOf ?? shape.oneOf ?? shape.allOf;
    if (choices) return valueLike(pick(choices), name, depth);
    if (shape.const !== undefined) return shape.const;
    if (shape.enum) return pick(shape.enum);
    switch (Array.isArray(shape.type) ? pick(shape.type) : shape.type) {
      case "object": {
        const fields = Object.entries(shape.properties ?? {}).filter(
          ([key]) => shape.required?.includes(key) || random.oneIn(2),
        );
        const value = depth > 5 ? [] : fields.map(([key, field]) => [key, valueLike(field, key, depth + 1)]);
        return { ...Object.fromEntries(value), ...(random.oneIn(12) && { [oddText()]: odd() }) };
      }
      case "array":
        return Array.from({ length: random.oneIn(30) ? 100 : random.below(3) }, () =>
          valueLike(shape.items ?? {}, name, depth + 1),
        );
      case "string":
        return random.oneIn(2) ? textFor(name) : "A text.";
      case "integer":
      case "number":
        return random.oneIn(3) ? pick(oddValues) : random.below(40);
      case "boolean":
        return random.oneIn(2);
      default:
        return null;
    }
  }

  function createBody({ requestBody }: Operation): Pick<Exchange, "headers" | "body"> {
    const [mediaType, content] =
      pick(Object.entries(requestBody?.content ?? { "application/json": { schema: {} } })) ?? [];
    const type = random.oneIn(15)
      ? pick(["text/plain", "application/xml", "multipart/form-data", ""])
      : (mediaType ?? "");
    const text = JSON.stringify(valueLike(content?.schema ?? {}, ""));
    const spoilt = random.oneIn(12) ? pick([text.slice(0, -1), `${text}${text}`, "", "\ufeff", "nul", "\0"]) : text;
    const encoding = random.oneIn(25) ? { "content-encoding": pick(["gzip", "br", "odd"]) } : {};
    return { headers: { ...(type && { "content-type": type }), ...encoding }, body: spoilt };
  }

  function createQuery({ parameters = [] }: Operation): string {
    const asked = parameters.filter((one) => one.in === "query" && random.oneIn(2));
    const pairs = asked.map((one) => [one.name, String(valueLike(one.schema, one.name))]);
    if (random.oneIn(15)) pairs.push([oddText(), oddText()]);
    if (random.oneIn(40)) return "?%E0%A4%A=%";
    return pairs.length === 0 ? "" : `?${pairs.map((pair) => pair.map(inAddress).join("=")).join("&")}`;
  }

  const createHeaders = (): Record<string, string> => ({
    ...pick(known.headers),
    ...(random.oneIn(10) && { "idempotency-key": pick(["", "k", "x".repeat(4_000), randomUUID()]) }),
    ...(random.oneIn(10) && { "last-event-id": pick(["", "-1", "9".repeat(400), "a"]) }),
    ...(random.oneIn(15) && { origin: pick(["null", "https://elsewhere.example", "%"]) }),
    ...(random.oneIn(15) && { range: "bytes=9-1" }),
  });

  function next(): FuzzedRequest {
    const { path, method, operation } = pick(operations);
    const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => inAddress(textFor(name)));
    const chosen = random.oneIn(12) ? random.pick(methods) : method;
    const sent = operation.requestBody || random.oneIn(20) ? createBody(operation) : {};
    return {
      operationId: operation.operationId,
      method: chosen,
      path: filled + createQuery(operation),
      headers: { ...createHeaders(), ...sent.headers },
      ...(sent.body !== undefined && { body: sent.body }),
    };
  }

  return { next };
}

/** Nested arrays of this depth. */
function nested(depth: number): unknown {
  let value: unknown = [];
  for (let level = 1; level < depth; level++) value = [value];
  return value;
}
