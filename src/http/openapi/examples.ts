// The examples of the OpenAPI document. Readers compose the example of an object from those of its
// parts. What they compose anyway is not written twice, because the document would be too large.
import { exampleTimes } from "../../lib/wire.ts";
import type { JsonSchema, NamedSchemas } from "./schemas.ts";

/**
 * True if readers compose the example of a schema from named schemas with examples of their own,
 * beside numbers, flags, times and choices.
 */
export function isComposable(schema: JsonSchema, named: NamedSchemas): boolean {
  if (schema.examples) return false;
  if (schema.items) return isComposable(schema.items, named);
  if (schema.type === "integer" || schema.type === "boolean" || isKnown(schema)) return true;
  if (schema.$ref) {
    const referred = named[parseReference(schema.$ref)] ?? {};
    return referred.examples !== undefined || isComposable(referred, named);
  }
  const [alternative] = schema.oneOf ?? schema.anyOf ?? [];
  if (alternative) return isComposable(alternative, named);
  const { properties = {}, required = [] } = schema;
  return required.length > 0 && required.every((name) => isComposable(properties[name] ?? {}, named));
}

/** True for a choice and for a time, of which any reader knows a value. */
const isKnown = (schema: JsonSchema) =>
  schema.enum !== undefined || schema.const !== undefined || schema.format === "date-time";

/**
 * Gives each part of an object its part of the object's example, but for what readers compose.
 * The example stays with the object where that is shorter, and where the object may lack a part.
 */
export function withSpreadExamples(named: NamedSchemas): NamedSchemas {
  return Object.fromEntries(Object.entries(named).map(([name, schema]) => [name, withSpreadExample(schema, named)]));
}

function withSpreadExample(schema: JsonSchema, named: NamedSchemas): JsonSchema {
  const { examples, ...spread } = schema;
  const { properties = {}, required = [] } = schema;
  const names = Object.keys(properties);
  const [example] = examples ?? [];
  const values = new Map(Object.entries(Object(example)));
  if (names.length === 0 || names.some((name) => !values.has(name) || !required.includes(name))) return schema;
  spread.properties = Object.fromEntries(
    Object.entries(properties).map(([name, part]) => {
      const value = values.get(name);
      const isComposed = isNaming(part) && JSON.stringify(createExample(part, named)) === JSON.stringify(value);
      return [name, isComposed ? part : { ...part, examples: [value] }];
    }),
  );
  return JSON.stringify(spread).length < JSON.stringify(schema).length ? spread : schema;
}

/** True for a choice, a time, a named schema, and a list or an alternative of them. */
function isNaming({ items, oneOf, anyOf, ...schema }: JsonSchema): boolean {
  if (isKnown(schema) || schema.$ref !== undefined) return true;
  const inner = items ?? (oneOf ?? anyOf)?.[0];
  return inner !== undefined && isNaming(inner);
}

/** The example of a text without one. */
export const noExample = "…";

/** Composes the example of a schema: its own example, or one from its required parts. */
export function createExample(schema: JsonSchema, named: NamedSchemas): unknown {
  if (schema.examples) return schema.examples[0];
  if (schema.const !== undefined) return schema.const;
  if (schema.default !== undefined) return schema.default;
  if (schema.enum) return schema.enum[0];
  if (schema.$ref) return createExample(named[parseReference(schema.$ref)] ?? {}, named);
  const [alternative] = schema.oneOf ?? schema.anyOf ?? [];
  if (alternative) return createExample(alternative, named);
  if (schema.format === "date-time") return exampleTimes.started;
  switch (Array.isArray(schema.type) ? schema.type[0] : schema.type) {
    case "object": {
      const required = (schema.required ?? []).map((name) => [
        name,
        createExample(schema.properties?.[name] ?? {}, named),
      ]);
      return Object.fromEntries(required);
    }
    case "array":
      return schema.items ? [createExample(schema.items, named)] : [];
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

function parseReference(reference: string): string {
  return reference.slice(reference.lastIndexOf("/") + 1);
}
