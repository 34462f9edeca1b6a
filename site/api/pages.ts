// The API reference as Markdown: a page a tag, with its operations and the objects that occur there
// first, and a page of what holds for all of them.
import { refusals } from "../../src/rules/refusal.ts";
import { findBody, findContent, formatCurl, formatLibraryCall } from "./calls.ts";
import { type ApiResponse, getRefName, type Operation, type Reference, type Schema } from "./document.ts";
import { createExample, type Field, formatType, listFields, type SchemaWords } from "./schema.ts";

export interface ApiPage {
  path: string;
  title: string;
  text: string;
}

const apiPath = "/docs/api";
const toSlug = (tag: string) => tag.toLowerCase().replace(/\W+/g, "-");
const getTagPath = (tag: string) => `${apiPath}/${toSlug(tag)}`;

/** The address of an operation in the docs. */
export const getOperationPath = ({ tag, id }: Operation): string => `${getTagPath(tag)}#${id}`;

/** The events of webhooks are described beside the calls that manage them. */
const eventsTag = "Webhooks";

const cell = (text: string) => text.replace(/\s*\n\s*/g, " ").replaceAll("|", "\\|");
const code = (language: string, text: string) => `\`\`\`${language}\n${text}\n\`\`\``;
const json = (value: unknown) => code("json", JSON.stringify(value, null, 2));
/** Prose of the document has no HTML. */
const prose = (text: string) =>
  text
    .split(/(`[^`]*`)/)
    .map((part, index) => (index % 2 === 1 ? part : part.replaceAll("<", "&lt;")))
    .join("");

/** Renders the pages. `commands` has the command of `sy` by the id of an operation. */
export function createApiPages(reference: Reference, commands: ReadonlyMap<string, string>): ApiPage[] {
  const pages = reference.tags.map(({ name, description }) => ({
    name,
    description,
    operations: reference.operations.filter(({ tag }) => tag === name),
  }));
  const owners = findOwners(reference);
  const words: SchemaWords = {
    schemas: reference.schemas,
    findLink: (name) => {
      const owner = owners.get(name);
      return owner === undefined ? null : `${getTagPath(owner)}#object-${name}`;
    },
  };
  return [
    createOverview(reference, pages),
    ...pages.map(({ name, description, operations }) => ({
      path: getTagPath(name),
      title: name,
      text: [
        `# ${name}`,
        prose(description),
        ...operations.map((operation) => formatOperation(operation, words, commands)),
        ...(name === eventsTag ? [formatEvents(reference)] : []),
        ...formatObjects(
          [...owners].filter(([, owner]) => owner === name).map(([object]) => object),
          words,
        ),
      ].join("\n\n"),
    })),
  ];
}

function createOverview({ operations, tags }: Reference, pages: { name: string }[]): ApiPage {
  const rows = tags.map(({ name, description }) => {
    const count = operations.filter(({ tag }) => tag === name).length;
    return `| [${name}](${getTagPath(name)}) | ${cell(prose(description))} | ${count} |`;
  });
  const errors = Object.entries(refusals).map(
    ([name, { status, message }]) => `| \`${name}\` | ${status} | ${cell(message)} |`,
  );
  return {
    path: apiPath,
    title: "Overview",
    text: `# The API

Every client of the service calls this HTTP API. It has ${operations.length} operations in ${pages.length} groups. The
[OpenAPI document](/api/openapi.json) describes all of them for programs, and [/llms-api.txt](/llms-api.txt) has one line for each. [The API with
curl](/docs/guide/api) is an introduction, and [the client library](/docs/guide/library) has typed calls.

| Group | What it is about | Operations |
|---|---|---|
${rows.join("\n")}

## Requests

The examples use two variables: \`$BASE\` is the address of the service, and \`$KEY\` an API key. Send the key as \`Authorization: Bearer $KEY\`. A person makes
keys on the page \`/account\`. A parameter or a field with a star is required. [Callers](/docs/reference/callers) lists the other credentials. A body is JSON unless its operation says something else. A name that
an operation does not know, in its query or its body, is refused.

An operation with the header \`Idempotency-Key\` can be sent again without a second effect: the same key and body within 24 hours get the first response again.

## Responses

A success has its result in \`data\`. A list also has \`pagination\`. A response can get new fields at any time: ignore those that you do not know. Each response has
the header \`X-Request-Id\`, which names it for the operator of the service.

## Errors

A failure has a sentence for people, a code for programs, and sometimes \`details\`. A code never changes its meaning.

${json({ error: "content is required.", code: "VALIDATION_ERROR", details: [{ path: "content", message: "is required" }] })}

| Code | Status | What it means, and what to do |
|---|---|---|
${errors.join("\n")}`,
  };
}

function formatOperation(operation: Operation, words: SchemaWords, commands: ReadonlyMap<string, string>): string {
  const { id, summary, description, method, path, parameters, body, responses, security } = operation;
  const command = commands.get(id);
  const sent = findBody(operation, words.schemas);
  const isForPrograms = security === null || security.length === 0 || security.includes("apiKey");
  const given = parameters.map((one) => ({
    name: one.name,
    isRequired: one.required === true,
    type: `${one.in}, ${formatType(one.schema, words)}`,
    description: one.description ?? "",
  }));
  const [mediaType, content] = findContent(body);
  const otherTypes = Object.keys(body?.content ?? {}).filter((type) => type !== mediaType);
  return [
    `## ${summary} {#${id}}`,
    code("http", `${method} ${path}`),
    prose(description),
    `Operation \`${id}\`${command ? `; on the command line: ${command}` : ""}.${formatCallers(security)}`,
    ...(given.length > 0 ? ["### Parameters", formatFields(given)] : []),
    ...(content
      ? [
          `### Body`,
          `\`${mediaType}\`${otherTypes.length > 0 ? `, or ${otherTypes.map((type) => `\`${type}\``).join(", ")}` : ""}${body?.isRequired ? "" : "; it may be left out"}.`,
          formatFields(listFields(findObject(content.schema ?? {}, words), words)),
        ]
      : []),
    ...(isForPrograms
      ? ["### Call", code("sh", formatCurl(operation, sent)), code("ts", formatLibraryCall(operation, sent))]
      : sent?.mediaType === "application/json"
        ? [json(sent.example)]
        : []),
    "### Responses",
    ...responses.filter(({ codes }) => codes.length === 0).map((response) => formatResponse(response, words)),
    formatRefusals(responses),
  ]
    .filter((part) => part !== "")
    .join("\n\n");
}

function formatCallers(security: string[] | null): string {
  if (security === null) return "";
  if (security.length === 0) return " It needs no credential.";
  if (security.includes("signature")) return " The code host calls it, and signs the body.";
  return security.includes("apiKey") ? " It takes API keys only." : " It takes the session of a browser only.";
}

/** The object that a body is. */
function findObject(schema: Schema, { schemas }: SchemaWords): Schema {
  const name = getRefName(schema);
  return name === null ? schema : (schemas[name] ?? {});
}

function formatResponse({ status, description, content }: ApiResponse, words: SchemaWords): string {
  const [[mediaType, first] = [], ...others] = Object.entries(content);
  if (!first) return `**${status}**: ${description === "Done." ? "done, without a body." : prose(description)}`;
  const schema = first.schema ?? {};
  const data = schema.properties?.data;
  const events = first["x-events"];
  const types = [mediaType, ...others.map(([type]) => type)].map((type) => `\`${type}\``).join(", ");
  const what = events
    ? `a stream of server-sent events: ${formatType(events, words)}`
    : data
      ? `\`data\` is ${formatType(data, words)}`
      : (schema.description ?? formatType(schema, words));
  const isFile = mediaType !== "application/json" && !events;
  const example = first.example ?? createExample(schema, words.schemas);
  return `**${status}**${mediaType === "application/json" ? "" : ` ${types}`}: ${what}${what.endsWith(".") ? "" : "."}${isFile ? "" : `\n\n${json(example)}`}`;
}

/** The codes of the refusals by their status, as links to what they mean. */
function formatRefusals(responses: ApiResponse[]): string {
  const codes = new Set(responses.flatMap(({ codes }) => codes));
  const byStatus = new Map<number, string[]>();
  for (const [name, { status }] of Object.entries(refusals))
    if (codes.has(name)) byStatus.set(status, [...(byStatus.get(status) ?? []), `\`${name}\``]);
  if (byStatus.size === 0) return "";
  const lines = [...byStatus].map(([status, names]) => `${status} ${names.join(", ")}`);
  return `[Refusals](${apiPath}#errors): ${lines.join("; ")}.`;
}

const table = (head: string[], rows: string[]) =>
  [`| ${head.join(" | ")} |`, `|${head.map(() => "---|").join("")}`, ...rows].join("\n");

function formatFields(fields: Field[]): string {
  if (fields.length === 0) return "";
  const rows = fields.map(
    ({ name, isRequired, type, description }) =>
      `| \`${name}\`${isRequired ? " *" : ""} | *${cell(type)}* ${cell(prose(description))} |`,
  );
  return table(["Name", "What it is"], rows);
}

function formatObjects(names: string[], words: SchemaWords): string[] {
  if (names.length === 0) return [];
  return [
    "## Objects",
    "A field with a star is always there.",
    ...names.sort().map((name) => formatObject(name, words)),
  ];
}

function formatObject(name: string, words: SchemaWords): string {
  const { $ref: _, ...schema } = words.schemas[name] ?? {};
  const fields = formatFields(listFields(schema, words));
  const isNamed = fields !== "" || schema.type === "object";
  return [
    `### ${name} {#object-${name}}`,
    prose(schema.description ?? ""),
    fields,
    isNamed ? "" : `It is ${formatType(schema, words)}.`,
  ]
    .filter((part) => part !== "")
    .join("\n\n");
}

function formatEvents({ events }: Reference): string {
  const rows = events.map(({ type, summary }) => `| \`${type}\` | ${cell(prose(summary))} |`);
  return [
    "## Events",
    "[Webhooks](/docs/guide/webhooks) says how they are sent and checked.",
    table(["Type", "When"], rows),
  ].join("\n\n");
}

/** The tag on whose page a component is described: the first one that has it. */
function findOwners({ tags, operations, schemas }: Reference): Map<string, string> {
  const owners = new Map<string, string>();
  function claim(part: unknown, tag: string): void {
    if (typeof part !== "object" || part === null) return;
    const name = "$ref" in part && typeof part.$ref === "string" ? getRefName(part as Schema) : null;
    if (name !== null && schemas[name] && !owners.has(name)) {
      owners.set(name, tag);
      claim(schemas[name], tag);
    }
    for (const inner of Object.values(part)) claim(inner, tag);
  }
  for (const { name } of tags)
    for (const { tag, body, responses, parameters } of operations)
      if (tag === name) claim([parameters, body, responses.filter(({ codes }) => codes.length === 0)], name);
  return owners;
}
