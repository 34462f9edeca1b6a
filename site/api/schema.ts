// Schemas as words, as tables of fields, and as examples.
import { exampleTimes } from "../../src/lib/wire.ts";
import { getRefName, type Schema } from "./document.ts";

export interface SchemaWords {
  schemas: Record<string, Schema>;
  /** The address of a component; null if no page describes it. */
  findLink(name: string): string | null;
}

export interface Field {
  name: string;
  isRequired: boolean;
  type: string;
  description: string;
}

/** Deeper fields are left to the example. */
const deepest = 3;

const quote = (value: unknown) => `\`${typeof value === "string" ? value : JSON.stringify(value)}\``;

/** Describes a type as Markdown, such as `string` or a link to an object. */
export function formatType(schema: Schema, words: SchemaWords): string {
  const name = getRefName(schema);
  if (name !== null) {
    const link = words.findLink(name);
    return link === null ? name : `[${name}](${link})`;
  }
  if (schema.const !== undefined) return quote(schema.const);
  if (schema.enum) return schema.enum.map(quote).join(", ");
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices) return [...new Set(choices.map((choice) => formatType(choice, words)))].join(" or ");
  if (schema.type === "array" || (schema.items && !schema.type))
    return `list of ${schema.items ? formatType(schema.items, words) : "values"}`;
  const types = [schema.type ?? "any value"].flat().join(" or ");
  return schema.format ? `${types} (${schema.format})` : types;
}

/** The fields of an object, with those of the objects in it. */
export function listFields(schema: Schema, words: SchemaWords, before = "", depth = 1): Field[] {
  const required = new Set(schema.required ?? []);
  return Object.entries(schema.properties ?? {}).flatMap(([key, field]) => {
    const inner = findObjects(field);
    const name = `${before}${key}`;
    const row = {
      name,
      isRequired: required.has(key),
      type: formatType(field, words),
      description: describeField(field),
    };
    if (depth >= deepest) return [row];
    const nested = inner.flatMap(({ schema: object, after }) =>
      listFields(object, words, `${name}${after}.`, depth + 1),
    );
    return [row, ...nested.filter((one, index) => nested.findIndex((other) => other.name === one.name) === index)];
  });
}

/** The objects that a field has in place, and what follows its name: `[]` for those of a list. */
function findObjects(field: Schema): { schema: Schema; after: string }[] {
  if (field.$ref) return [];
  if (field.properties) return [{ schema: field, after: "" }];
  if (field.items) return findObjects(field.items).map(({ schema, after }) => ({ schema, after: `[]${after}` }));
  return (field.anyOf ?? field.oneOf ?? []).flatMap(findObjects);
}

function describeField(schema: Schema): string {
  const { description = "", default: usual, maxLength, maxItems, minimum, maximum } = schema;
  const limits = [
    usual !== undefined && `Default: ${quote(usual)}.`,
    maxLength !== undefined && `At most ${maxLength.toLocaleString("en")} characters.`,
    maxItems !== undefined && `At most ${maxItems.toLocaleString("en")} items.`,
    maximum !== undefined &&
      Math.abs(maximum) < Number.MAX_SAFE_INTEGER &&
      `${(minimum ?? 0).toLocaleString("en")} to ${maximum.toLocaleString("en")}.`,
  ];
  return [description, ...limits].filter(Boolean).join(" ");
}

/** Makes an example of a schema: one that it has, or one of its fields. */
export function createExample(schema: Schema, schemas: Record<string, Schema>, depth = 0): unknown {
  if (schema.examples?.length) return schema.examples[0];
  const name = getRefName(schema);
  if (name !== null) return depth > 6 ? {} : createExample(schemas[name] ?? {}, schemas, depth + 1);
  if (schema.const !== undefined) return schema.const;
  if (schema.default !== undefined) return schema.default;
  if (schema.enum) return schema.enum[0];
  const [choice] = schema.anyOf ?? schema.oneOf ?? schema.allOf ?? [];
  if (choice) return createExample(choice, schemas, depth + 1);
  if (schema.format === "date-time") return exampleTimes.started;
  if (schema.properties)
    return Object.fromEntries(
      Object.entries(schema.properties).map(([key, field]) => [key, createExample(field, schemas, depth + 1)]),
    );
  if (schema.items) return [createExample(schema.items, schemas, depth + 1)];
  const type = [schema.type].flat()[0];
  return type === "integer" || type === "number" ? 0 : type === "boolean" ? false : type === "object" ? {} : "…";
}
