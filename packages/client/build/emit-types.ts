// Writes the types of the library from the OpenAPI document: the named schemas, and of each
// operation what goes in, what comes out and which errors it has. A word of JSON Schema that it
// does not know is an error, so that no field is silently typed wrong.

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
    return [...listReferences(schema).flatMap(takeSchema), field(name, schema as Schema, "")];
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

interface Member {
  of: "Schemas" | "Operations";
  text: string;
}

/** The compiler joins the declarations of an interface. */
const toMember =
  (of: Member["of"]) =>
  (text: string): Member => ({ of, text });

/** How far back gzip finds what it has seen, in characters, less the member that is added. */
const windowCharacters = 30_000;
/** A run of this many words and signs is worth finding again. */
const runLength = 10;

/** The runs of words and signs of a text. */
function listRuns(text: string): Set<string> {
  const parts = text.match(/\w+|\W/g) ?? [];
  return new Set(parts.map((_, at) => parts.slice(at, at + runLength).join("")));
}

/**
 * Sorts the members: each shares more with those before it than any of the rest, for its length.
 * The packed declarations are smaller when what is alike is near.
 */
function sortBySimilarity(members: readonly Member[]): Member[] {
  const rest = members.map((member) => ({ member, runs: [...listRuns(member.text)] }));
  const sorted: typeof rest = [];
  while (rest.length > 0) {
    const recent = listRecentRuns(sorted);
    const ratings = rest.map(({ member, runs }) => runs.filter((run) => recent.has(run)).length / member.text.length);
    sorted.push(...rest.splice(ratings.indexOf(Math.max(...ratings)), 1));
  }
  return sorted.map(({ member }) => member);
}

/** The runs of the newest members, as far back as gzip sees. */
function listRecentRuns(sorted: readonly { member: Member; runs: string[] }[]): Set<string> {
  const recent = new Set<string>();
  let seen = 0;
  for (const { member, runs } of sorted.toReversed()) {
    if (seen > windowCharacters) break;
    seen += member.text.length;
    for (const run of runs) recent.add(run);
  }
  return recent;
}

/** The names of the schemas to which a part of the document refers, in their order. */
function listReferences(part: unknown): string[] {
  const names = Array.from(
    JSON.stringify(part).matchAll(/"\$ref":"#\/components\/schemas\/(\w+)"/g),
    ([, name]) => name,
  );
  return [...new Set(names)].filter((name) => name !== undefined);
}

/** Gives each set of codes that several operations have a name. */
function nameCodes(all: string[][]) {
  const formatted = all.map((codes) => union(codes.map(quote)));
  const repeated = [...new Set(formatted.filter((set, index) => formatted.indexOf(set) !== index))];
  const names = new Map(repeated.map((set, index) => [set, `Codes${index + 1}`]));
  return {
    declarations: repeated.map((set) => `type ${names.get(set)} = ${set}`),
    format: (codes: string[]) => {
      const set = union(codes.map(quote));
      return names.get(set) ?? set;
    },
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

/** Formats an operation. The library reads the parameters of the path from the operation's name. */
function formatOperation(
  name: string,
  operation: ReturnType<typeof resolveOperation>,
  formatCodes: (codes: string[]) => string,
): string {
  const { parameters, requestBody } = operation;
  const located = (place: string) => parameters.filter((parameter) => parameter.in === place);
  const query = located("query");
  const input = [
    ...(query.length > 0
      ? [
          `query${query.some(({ required }) => required) ? "" : "?"}: {`,
          ...query.map(({ name, required, description, schema }) =>
            field(name, { ...schema, description }, required ? "" : "?", true),
          ),
          "}",
        ]
      : []),
    ...(requestBody ? [`body${requestBody.required ? "" : "?"}: ${formatBody(requestBody.content)}`] : []),
    ...(located("header").some(({ name }) => name === "Idempotency-Key")
      ? ["idempotencyKey?: string | undefined"]
      : []),
  ];
  return [
    ...comment(operation.summary),
    `${quote(name)}: {`,
    `input: { ${input.join("\n")} }`,
    ...formatOutput(operation),
    `codes: ${formatCodes(listCodes(operation))}`,
    "}",
  ].join("\n");
}

/** The type of a body. A form is built by the caller, and so are bytes. */
function formatBody(content: Content): string {
  return union(
    Object.entries(content).map(([mediaType, { schema }]) => {
      if (mediaType === "application/json") return formatType(schema, true);
      return mediaType === "multipart/form-data" ? "FormData" : "Blob";
    }),
  );
}

/** What an operation answers, under the envelope. */
function formatOutput({ responses }: Operation): string[] {
  const success = Object.entries(responses).find(([status]) => /^[23]/.test(status) && status !== "204")?.[1];
  const [mediaType, answer] = Object.entries(success?.content ?? {})[0] ?? [];
  if (!mediaType || !answer) return ["data: undefined"];
  const { schema } = answer;
  if (mediaType === "text/event-stream") {
    const events = answer["x-events"];
    return ["data: never", `events: ${formatType(events ?? schema)}`];
  }
  if (mediaType !== "application/json") return ["data: Blob"];
  const { data, meta } = schema.properties ?? {};
  if (!data) return [`data: ${formatType(schema)}`];
  return [`data: ${formatType(data)}`, ...(meta ? [`meta: ${formatType(meta)}`] : [])];
}

/** The error codes of an operation. Its failures are the responses that have codes. */
function listCodes({ responses }: Operation): string[] {
  return [...new Set(Object.values(responses).flatMap((response) => response["x-error-codes"] ?? []))];
}

function formatType(schema: Schema, isInput = false): string {
  for (const word of Object.keys(schema))
    if (!silent.has(word) && !spoken.has(word) && !word.startsWith("x-"))
      throw new Error(`The emitter does not know the word ${word} of JSON Schema: ${JSON.stringify(schema)}`);
  if (schema.$ref) return `Schemas[${quote(schema.$ref.slice(schema.$ref.lastIndexOf("/") + 1))}]`;
  if (schema.const !== undefined) return quote(schema.const);
  if (schema.enum) return union(schema.enum.map(quote));
  const alternatives = schema.anyOf ?? schema.oneOf;
  if (alternatives) return union(alternatives.map((one) => formatType(one, isInput)));
  if (Array.isArray(schema.type)) return union(schema.type.map((type) => formatType({ ...schema, type }, isInput)));
  switch (schema.type) {
    case "string":
    case "boolean":
    case "null":
      return schema.type;
    case "integer":
    case "number":
      return "number";
    case "array": {
      const item = formatType(schema.items ?? {}, isInput);
      return item.includes(" | ") || item.includes("{") ? `(${item})[]` : `${item}[]`;
    }
    case "object":
      return formatObject(schema, isInput);
    case undefined:
      return "unknown";
    default:
      throw new Error(`The emitter does not know the type ${schema.type}.`);
  }
}

function formatObject({ properties, required = [], additionalProperties }: Schema, isInput: boolean): string {
  const fields = Object.entries(properties ?? {}).map(([name, schema]) =>
    field(name, schema, required.includes(name) ? "" : "?", isInput),
  );
  if (fields.length > 0) return `{\n${fields.join("\n")}\n}`;
  if (typeof additionalProperties === "object") return `Record<string, ${formatType(additionalProperties, isInput)}>`;
  return "Record<string, unknown>";
}

/** What a short description has at most, in characters. */
const shortCharacters = 90;

/**
 * An optional field of an input may also be given as undefined, which is not sent. What is read has
 * the first sentence of its description, and so has what is sent, if the whole is long: the API
 * reference has the rest.
 */
function field(name: string, schema: Schema, optional: "" | "?", isInput = false): string {
  const type = formatType(schema, isInput);
  const typed = `${key(name)}${optional}: ${type}${isInput && optional ? " | undefined" : ""}`;
  const { description = "" } = schema;
  const isWhole = isInput && description.length <= shortCharacters;
  return [...comment(isWhole ? description : shorten(name, description)), typed].join("\n");
}

const fillers = new Set("a an the its their his it of that this is was were when in by at id name user".split(" "));

/** The first sentence of a description; undefined if it has no word that the name has not. */
function shorten(name: string, description = ""): string | undefined {
  const sentence = /^.*?\.(?= [A-Z`]|$)/s.exec(description)?.[0] ?? description;
  const words =
    sentence
      .toLowerCase()
      .replaceAll("'s ", " ")
      .match(/[^\s.]+/g) ?? [];
  const isPlain = words.every((word) => fillers.has(word) || name.toLowerCase().includes(word));
  return isPlain ? undefined : sentence;
}

const comment = (text: string | undefined) =>
  text ? [`/** ${text.replaceAll("*/", "*\\/").replaceAll("\n", " ")} */`] : [];

const key = (name: string) => (/^\w+$/.test(name) ? name : quote(name));
const quote = (value: unknown) => JSON.stringify(value);
const union = (types: string[]) => [...new Set(types)].join(" | ") || "never";
