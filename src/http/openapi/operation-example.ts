// Composes the example of a schema from the examples of its parts, so that each example is declared once, beside its schema.
import type { JsonSchema, NamedSchemas } from "./schemas.ts";

/** The example of a text without one. */
export const noExample = "…";

/** Composes the example of a schema: its own example, or one from its required parts. */
export function exampleOf(schema: JsonSchema, named: NamedSchemas): unknown {
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
