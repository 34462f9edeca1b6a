// Writes the types of the library from the OpenAPI document: the named schemas, and of each
// operation what goes in, what comes out and which errors it has. A word of JSON Schema that it
// does not know is an error, so that no field is silently typed wrong.

import { formatComment, formatDescription, getFirstSentence } from "./comments.ts";
import { type Member, sortBySimilarity } from "./sort-members.ts";

/** The part of an OpenAPI document that the types come from. */
export interface Document {
  paths: Record<string, Record<string, unknown>>;
  components: { schemas: Record<string, unknown>; [kind: string]: Record<string, unknown> };
}

type Schema = { [word: string]: unknown } & {
  $ref?: string;
  type?: string | string[];
  const?: unknown;
  enum?: unknown[];
  description?: string;
  properties?: Record<string, Schema>;
  required?: string[];
  additionalProperties?: boolean | Schema;
  items?: Schema;
  anyOf?: Schema[];
  oneOf?: Schema[];
};
type Content = Record<string, { schema: Schema; "x-events"?: Schema }>;
interface Parameter {
  name: string;
  in: string;
  required?: boolean;
  description: string;
  schema: Schema;
}
interface Operation {
  summary: string;
  parameters?: Parameter[];
  requestBody?: { required: boolean; content: Content };
  responses: Record<string, { description: string; content?: Content; "x-error-codes"?: string[] }>;
}

/** Words that say nothing about a type. */
const silent = new Set(
  [
    "default",
    "examples",
    "format",
    "pattern",
    "minimum",
    "maximum",
    "exclusiveMinimum",
    "minLength",
    "maxLength",
  ].concat(["minItems", "maxItems", "propertyNames", "discriminator", "readOnly", "deprecated", "contentMediaType"]),
);
const spoken = new Set(
  ["$ref", "type", "const", "enum", "description", "properties", "required", "additionalProperties", "items"].concat([
    "anyOf",
    "oneOf",
  ]),
);

/** Formats the types of a document as TypeScript. */
export function formatTypes(document: Document): string {
  const operations = Object.entries(document.paths).flatMap(([path, { parameters = [], ...item }]) =>
    Object.entries(item).map(([method, operation]) => {
      const resolved = resolveOperation(operation as Operation, parameters as Parameter[], document);
      return [`${method.toUpperCase()} ${path}`, resolved] as const;
    }),
  );
  const schemas = new Map(Object.entries(document.components.schemas));
  const takeSchema = (name: string): string[] => {
    const schema = schemas.get(name);
    if (!schemas.delete(name)) return [];
    return [...listReferences(schema).flatMap(takeSchema), field(name, schema as Schema, "", { owner: "" })];
  };
  const codes = nameCodes(operations.map(([, operation]) => listCodes(operation)));
  const members = operations.flatMap(([name, operation]) => [
    ...listReferences(operation).flatMap(takeSchema).map(toMember("Schemas")),
    toMember("Operations")(formatOperation(name, operation, codes.format)),
  ]);
  members.push(...[...schemas.keys()].flatMap(takeSchema).map(toMember("Schemas")));
  const sorted = sortBySimilarity(members);
  return [
    "// Written by packages/client/build/emit-types.ts from the OpenAPI document. Not to be edited.",
    ...codes.declarations,
    "/** The named schemas of the API. */",
    "export interface Schemas {}",
    "/** The operations of the API: what goes in besides the path, what comes out, and the error codes. */",
    "export interface Operations {}",
    ...sorted.flatMap(({ of, text }, index) => [
      ...(sorted[index - 1]?.of === of ? [] : [`export interface ${of} {`]),
      text,
      ...(sorted[index + 1]?.of === of ? [] : ["}"]),
    ]),
    "",
  ].join("\n");
}

/** The compiler joins the declarations of an interface. */
const toMember =
  (of: Member["of"]) =>
  (text: string): Member => ({ of, text });

/** The names of the schemas to which a part of the document refers, in their order. */
function listReferences(part: unknown): string[] {
  const names = Array.from(
    JSON.stringify(part).matchAll(/"\$ref":"#\/components\/schemas\/(\w+)"/g),
    ([, name]) => name,
  );
  return [...new Set(names)].filter((name) => name !== undefined);
}

/** Gives the codes that all operations have a name, and each further set that several have. */
function nameCodes(all: string[][]) {
  const common = all[0]?.filter((code) => all.every((codes) => codes.includes(code))) ?? [];
  const formatOwn = (codes: string[]) =>
    union(["CommonCodes", ...codes.filter((code) => !common.includes(code)).map(quote)]);
  const formatted = all.map(formatOwn);
  const repeated = [...new Set(formatted.filter((set, index) => formatted.indexOf(set) !== index))];
  const names = new Map(repeated.map((set, index) => [set, `Codes${index + 1}`]));
  return {
    declarations: [
      `type CommonCodes = ${union(common.map(quote))}`,
      ...repeated.map((set) => `type ${names.get(set)} = ${set}`),
    ],
    format: (codes: string[]) => names.get(formatOwn(codes)) ?? formatOwn(codes),
  };
}

/** Puts the shared parts of operations in the place of references to them. */
function resolveOperation(
  operation: Operation,
  ofPath: Parameter[],
  { components }: Document,
): Operation & { parameters: Parameter[] } {
  const resolve = <Part>(part: Part | { $ref: string }): Part => {
    if (typeof part !== "object" || part === null || !("$ref" in part)) return part;
    const [, , kind = "", name = ""] = part.$ref.split("/");
    return components[kind]?.[name] as Part;
  };
  const responses = Object.entries(operation.responses).map(([status, response]) => [status, resolve(response)]);
  return {
    ...operation,
    parameters: [...ofPath, ...(operation.parameters ?? [])].map(resolve),
    ...(operation.requestBody && { requestBody: resolve(operation.requestBody) }),
    responses: Object.fromEntries(responses),
  };
}

/** Where a schema is: the name of what it belongs to, and whether a caller sends it. */
interface Place {
  owner: string;
  isInput?: boolean;
}

/** Formats an operation. The library reads the parameters of the path from the operation's name. */
function formatOperation(
  name: string,
  operation: ReturnType<typeof resolveOperation>,
  formatCodes: (codes: string[]) => string,
): string {
  const { parameters, requestBody, summary } = operation;
  const sent: Place = { owner: name, isInput: true };
  const located = (place: string) => parameters.filter((parameter) => parameter.in === place);
  const query = located("query");
  const input = [
    ...(query.length > 0
      ? [
          `query${query.some(({ required }) => required) ? "" : "?"}: {`,
          ...query.map(({ name, required, description, schema }) =>
            field(name, { ...schema, description }, required ? "" : "?", sent),
          ),
          "}",
        ]
      : []),
    ...(requestBody ? [`body${requestBody.required ? "" : "?"}: ${formatBody(requestBody.content, sent)}`] : []),
    ...(located("header").some(({ name }) => name === "Idempotency-Key")
      ? ["idempotencyKey?: string | undefined"]
      : []),
  ];
  return [
    ...formatComment(formatDescription(summary, { names: [name] })),
    `${quote(name)}: {`,
    input.length > 0 ? `input: { ${input.join("\n")} }` : "input: {}",
    ...formatOutput(operation, name),
    `codes: ${formatCodes(listCodes(operation))}`,
    "}",
  ].join("\n");
}

/** The type of a body. A form is built by the caller, and so are bytes. */
function formatBody(content: Content, place: Place): string {
  return union(
    Object.entries(content).map(([mediaType, { schema }]) => {
      if (mediaType === "application/json") return formatType(schema, place);
      return mediaType === "multipart/form-data" ? "FormData" : "Blob";
    }),
  );
}

/** What an operation answers, under the envelope. */
function formatOutput({ responses }: Operation, owner: string): string[] {
  const place = { owner };
  const success = Object.entries(responses).find(([status]) => /^[23]/.test(status) && status !== "204")?.[1];
  const [mediaType, answer] = Object.entries(success?.content ?? {})[0] ?? [];
  if (!mediaType || !answer) return ["data: undefined"];
  const { schema } = answer;
  if (mediaType === "text/event-stream") {
    const events = answer["x-events"];
    return ["data: never", `events: ${formatType(events ?? schema, place)}`];
  }
  if (mediaType !== "application/json") return ["data: Blob"];
  const { data, meta } = schema.properties ?? {};
  if (!data) return [`data: ${formatType(schema, place)}`];
  return [`data: ${formatType(data, place)}`, ...(meta ? [`meta: ${formatType(meta, place)}`] : [])];
}

/** The error codes of an operation. Its failures are the responses that have codes. */
function listCodes({ responses }: Operation): string[] {
  return [...new Set(Object.values(responses).flatMap((response) => response["x-error-codes"] ?? []))];
}

function formatType(schema: Schema, place: Place): string {
  for (const word of Object.keys(schema))
    if (!silent.has(word) && !spoken.has(word) && !word.startsWith("x-"))
      throw new Error(`The emitter does not know the word ${word} of JSON Schema: ${JSON.stringify(schema)}`);
  if (schema.$ref) return `Schemas[${quote(schema.$ref.slice(schema.$ref.lastIndexOf("/") + 1))}]`;
  if (schema.const !== undefined) return quote(schema.const);
  if (schema.enum) return union(schema.enum.map(quote));
  const alternatives = schema.anyOf ?? schema.oneOf;
  if (alternatives) return union(alternatives.map((one) => formatType(one, place)));
  if (Array.isArray(schema.type)) return union(schema.type.map((type) => formatType({ ...schema, type }, place)));
  switch (schema.type) {
    case "string":
    case "boolean":
    case "null":
      return schema.type;
    case "integer":
    case "number":
      return "number";
    case "array": {
      const item = formatType(schema.items ?? {}, place);
      return item.includes(" | ") || item.includes("{") ? `(${item})[]` : `${item}[]`;
    }
    case "object":
      return formatObject(schema, place);
    case undefined:
      return "unknown";
    default:
      throw new Error(`The emitter does not know the type ${schema.type}.`);
  }
}

function formatObject({ properties, required = [], additionalProperties }: Schema, place: Place): string {
  const fields = Object.entries(properties ?? {}).map(([name, schema]) =>
    field(name, schema, required.includes(name) ? "" : "?", place),
  );
  if (fields.length > 0) return `{\n${fields.join("\n")}\n}`;
  if (typeof additionalProperties === "object") return `Record<string, ${formatType(additionalProperties, place)}>`;
  return "Record<string, unknown>";
}

/** What a short description has at most, in characters. */
const shortCharacters = 90;

/**
 * An optional field of an input may also be given as undefined, which is not sent. What is read has
 * the first sentence of its description, and so has what is sent, if the whole is long: the API
 * reference has the rest.
 */
function field(name: string, schema: Schema, optional: "" | "?", place: Place): string {
  const { owner, isInput } = place;
  const { description = "" } = schema;
  const type = formatType(schema, { ...place, owner: name });
  // Without the fields of an object, which have comments of their own.
  const outline = type.replace(/\{.*\}/s, "");
  const text = isInput && description.length <= shortCharacters ? description : getFirstSentence(description);
  const news = formatDescription(text, {
    names: [name, owner, outline],
    isNullable: !isInput && outline.includes("null"),
  });
  const typed = `${key(name)}${optional}: ${type}${isInput && optional ? " | undefined" : ""}`;
  return [...formatComment(news), typed].join("\n");
}

const key = (name: string) => (/^\w+$/.test(name) ? name : quote(name));
const quote = (value: unknown) => JSON.stringify(value);
const union = (types: string[]) => [...new Set(types)].join(" | ") || "never";
