// The JSON Schema of a turn's result, as a client may give it: an object, of keywords that are
// checked in linear time. What `$ref` names is written in its place, because no provider takes
// definitions beside a tool's parameters.
import { resultAlternativesMax, resultDepth, resultSchemaBytes, resultSchemaDepth } from "../../rules/limits.ts";
import type { Mistake } from "../../rules/refusal.ts";

/** A JSON value that is an object, such as a result. */
export type JsonObject = { [name: string]: unknown };
/** A schema that `readResultSchema` has accepted. */
export type ResultSchema = JsonObject;

type Scalar = string | number | boolean | null;

const resultTypes = ["object", "array", "string", "number", "integer", "boolean", "null"] as const;

/** Reads a schema. Returns the first mistake in it, with its place. */
export function readResultSchema(given: JsonObject): { schema: ResultSchema } | Mistake {
  if (isTooDeep(given)) return { path: "", message: `is nested deeper than ${resultSchemaDepth} schemas` };
  if (getBytes(given) > resultSchemaBytes) return tooLong("");
  const { $schema: _, $id: __, $comment: ___, $defs, definitions, ...root } = given;
  const reading: Reading = { definitions: { $defs, definitions }, bytes: 0, alternatives: 0 };
  const schema = readSchema(reading, root, { path: "", depth: 1, within: [] });
  if (isMistake(schema)) return schema;
  if (schema.type !== "object") return { path: "type", message: "must be object: a result is an object" };
  const atTop = ["anyOf", "oneOf", "allOf", "enum", "const"].find((name) => Object.hasOwn(schema, name));
  if (atTop !== undefined) return { path: atTop, message: "is not taken at the top of the schema, only in its fields" };
  return getBytes(schema) > resultSchemaBytes ? tooLong("") : { schema };
}

/** True if a value is nested so deeply that it cannot be stored. Itself not recursive. */
export function isTooDeep(value: unknown): boolean {
  let level: unknown[] = [value];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > resultDepth) return true;
    level = level.flatMap((one) => (typeof one === "object" && one !== null ? Object.values(one) : []));
  }
  return false;
}

/** The UTF-8 bytes of a value as JSON. */
export function getBytes(value: unknown): number {
  return new TextEncoder().encode(JSON.stringify(value)).length;
}

interface Reading {
  definitions: { $defs: unknown; definitions: unknown };
  /** The bytes of the keywords so far, so that definitions in definitions cannot grow large. */
  bytes: number;
  alternatives: number;
}

interface Place {
  path: string;
  depth: number;
  /** The definitions that the place is in. */
  within: readonly string[];
}

/** Reads the value of a keyword. */
type Reader = (reading: Reading, value: unknown, place: Place) => { value: unknown } | Mistake;

function readSchema(reading: Reading, given: unknown, place: Place): ResultSchema | Mistake {
  const { path, depth } = place;
  if (!isObject(given)) return { path, message: "must be a schema, which is an object" };
  if (depth > resultSchemaDepth) return { path, message: `is nested deeper than ${resultSchemaDepth} schemas` };
  if (Object.hasOwn(given, "$ref")) return readReference(reading, given, place);
  reading.bytes += 2;
  const schema: [string, unknown][] = [];
  for (const [keyword, value] of Object.entries(given)) {
    const at = join(path, keyword);
    const reader = Object.hasOwn(keywords, keyword) ? keywords[keyword] : undefined;
    if (reader === undefined) return { path: at, message: explainUnknown(keyword) };
    reading.bytes += keyword.length + (subschemas.has(keyword) ? 0 : getBytes(value));
    if (reading.bytes > resultSchemaBytes) return tooLong(at);
    const read = reader(reading, value, { ...place, path: at });
    if (isMistake(read)) return read;
    schema.push([keyword, read.value]);
  }
  return Object.fromEntries(schema);
}

/** Reads the definition that a schema refers to. A description beside the reference is kept. */
function readReference(reading: Reading, given: JsonObject, place: Place): ResultSchema | Mistake {
  const { $ref: reference, ...beside } = given;
  const path = join(place.path, "$ref");
  const other = Object.keys(beside).find((name) => !annotations.includes(name));
  if (other !== undefined) return { path: join(place.path, other), message: "cannot be beside $ref" };
  const [, part, name] = (typeof reference === "string" && /^#\/(\$defs|definitions)\/([^/]+)$/.exec(reference)) || [];
  if (name === undefined) return { path, message: "must be `#/$defs/<name>`: a definition of the same schema" };
  const all = reading.definitions[part === "$defs" ? "$defs" : "definitions"];
  const plain = name.replaceAll("~1", "/").replaceAll("~0", "~");
  const definition = isObject(all) && Object.hasOwn(all, plain) ? all[plain] : undefined;
  if (!isObject(definition)) return { path, message: `names no definition of this schema: ${reference}` };
  if (place.within.includes(name)) return { path, message: `is within itself: ${reference}` };
  return readSchema(reading, { ...definition, ...beside }, { ...place, within: [...place.within, name] });
}

const isScalar = (value: unknown): value is Scalar =>
  value === null || ["string", "number", "boolean"].includes(typeof value);
const isCount = (value: unknown) => typeof value === "number" && Number.isSafeInteger(value) && value >= 0;

const simple =
  (isRight: (value: unknown) => boolean, message: string): Reader =>
  (_reading, value, { path }) =>
    isRight(value) ? { value } : { path, message };

const one: Reader = (reading, value, place) => {
  const schema = readSchema(reading, value, { ...place, depth: place.depth + 1 });
  return isMistake(schema) ? schema : { value: schema };
};

const oneOrFlag: Reader = (reading, value, place) =>
  typeof value === "boolean" ? { value } : one(reading, value, place);

const named: Reader = (reading, value, place) => {
  if (!isObject(value)) return { path: place.path, message: "must be an object of schemas" };
  const read: [string, unknown][] = [];
  for (const [name, schema] of Object.entries(value)) {
    reading.bytes += name.length;
    const entry = one(reading, schema, { ...place, path: join(place.path, name) });
    if (isMistake(entry)) return entry;
    read.push([name, entry.value]);
  }
  return { value: Object.fromEntries(read) };
};

const alternatives: Reader = (reading, value, place) => {
  if (!Array.isArray(value) || value.length === 0)
    return { path: place.path, message: "must be a list of at least one schema" };
  reading.alternatives += value.length;
  if (reading.alternatives > resultAlternativesMax)
    return {
      path: place.path,
      message: `is too long: a schema has at most ${resultAlternativesMax} alternatives together`,
    };
  const read: unknown[] = [];
  for (const [index, schema] of value.entries()) {
    const entry = one(reading, schema, { ...place, path: join(place.path, String(index)) });
    if (isMistake(entry)) return entry;
    read.push(entry.value);
  }
  return { value: read };
};

const isType = (value: unknown) => resultTypes.some((type) => type === value);
const isTypes = (value: unknown) => isType(value) || (Array.isArray(value) && value.length > 0 && value.every(isType));
const isScalars = (value: unknown) => Array.isArray(value) && value.length > 0 && value.every(isScalar);
const isNames = (value: unknown) => Array.isArray(value) && value.every((name) => typeof name === "string");

const anything = simple(() => true, "");
const text = simple((value) => typeof value === "string", "must be a text");
const flag = simple((value) => typeof value === "boolean", "must be true or false");
const count = simple(isCount, "must be a whole number from 0");
const number = simple((value) => typeof value === "number", "must be a number");
const divisor = simple((value) => typeof value === "number" && value > 0, "must be a number above 0");

const keywords: Record<string, Reader> = {
  ...{ title: text, description: text, format: text, default: anything, examples: anything },
  ...{ deprecated: flag, readOnly: flag, writeOnly: flag },
  type: simple(isTypes, `must be one of ${resultTypes.join(", ")}, or a list of at least one of these`),
  enum: simple(isScalars, "must be a list of at least one value, each a text, a number, true, false or null"),
  const: simple(isScalar, "must be a text, a number, true, false or null"),
  ...{ anyOf: alternatives, oneOf: alternatives, allOf: alternatives },
  ...{ properties: named, additionalProperties: oneOrFlag, propertyNames: one, items: one },
  required: simple(isNames, "must be a list of names"),
  ...{
    minProperties: count,
    maxProperties: count,
    minItems: count,
    maxItems: count,
    minLength: count,
    maxLength: count,
  },
  ...{ minimum: number, maximum: number, exclusiveMinimum: number, exclusiveMaximum: number, multipleOf: divisor },
};

/** The keywords whose values are counted where their schemas are read. */
const subschemas = new Set([
  ...["anyOf", "oneOf", "allOf", "properties", "additionalProperties", "propertyNames", "items"],
]);
const annotations = ["title", "description", "default", "examples", "deprecated", "readOnly", "writeOnly"];
/** The keywords that may take more than linear time to check. */
const slow = ["pattern", "patternProperties", "uniqueItems", "contains", "not", "if", "then", "else"];

function explainUnknown(keyword: string): string {
  if (slow.includes(keyword)) return "is not taken: its check may take too long";
  return `is not a keyword that the schema of a result may have. It may have ${Object.keys(keywords).join(", ")} and $ref`;
}

const tooLong = (path: string): Mistake => ({
  path,
  message: `is too long: a schema has at most ${resultSchemaBytes} bytes, with its definitions where they are used`,
});

const join = (path: string, name: string) => (path === "" ? name : `${path}.${name}`);

function isMistake(read: object): read is Mistake {
  return "path" in read && "message" in read && typeof read.message === "string" && typeof read.path === "string";
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
