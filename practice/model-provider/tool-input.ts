// The input of a tool call, fitted to the tool's JSON schema: the name of each property, and the
// other required properties.
import { isObject, type JsonObject } from "./json.ts";

export interface Field {
  /** The possible names of the property. The first is used if the schema has none of them. */
  names: readonly string[];
  value: unknown;
  /** For a list of objects: the possible names of their properties. */
  itemNames?: Record<string, readonly string[]>;
}

/**
 * Builds an input with the given fields. Other required properties get a plain value, strings the
 * summary.
 */
export function createToolInput(schema: JsonObject, fields: Field[], summary: string): JsonObject {
  const properties = isObject(schema.properties) ? schema.properties : {};
  const input: JsonObject = {};
  for (const { names, value, itemNames } of fields) {
    const name = names.find((candidate) => candidate in properties) ?? names[0] ?? "value";
    const property = isObject(properties[name]) ? properties[name] : {};
    input[name] = itemNames === undefined ? scalar(property, value) : items(property, value, itemNames);
  }
  for (const name of Array.isArray(schema.required) ? schema.required : []) {
    if (typeof name === "string" && !(name in input)) input[name] = plainValue(properties[name], summary);
  }
  return input;
}

// Some agents take a command as a list of arguments.
function scalar(property: JsonObject, value: unknown): unknown {
  return property.type === "array" && typeof value === "string" ? ["bash", "-lc", value] : value;
}

function items(property: JsonObject, value: unknown, itemNames: Record<string, readonly string[]>): JsonObject[] {
  const schema = isObject(property.items) ? property.items : {};
  return (Array.isArray(value) ? value.filter(isObject) : []).map((item) => {
    const fields = Object.entries(itemNames).map(([name, names]) => ({ names, value: item[name] }));
    return createToolInput(schema, fields, String(fields[0]?.value ?? ""));
  });
}

function plainValue(property: unknown, summary: string): unknown {
  const schema = isObject(property) ? property : {};
  if (allowsNull(schema)) return null;
  if (Array.isArray(schema.enum)) return schema.enum[0];
  switch (schema.type) {
    case "number":
    case "integer":
      return typeof schema.minimum === "number" ? schema.minimum : 0;
    case "boolean":
      return false;
    case "array":
      return [];
    case "object":
      return {};
    default:
      return summary;
  }
}

// A strict schema requires every property. Optional ones allow null.
function allowsNull({ type, anyOf }: JsonObject): boolean {
  if (type === "null" || (Array.isArray(type) && type.includes("null"))) return true;
  return Array.isArray(anyOf) && anyOf.some((variant) => isObject(variant) && allowsNull(variant));
}
