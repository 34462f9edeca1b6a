// How an operation is called: with curl, and with the client library.
import type { Operation, Schema } from "./document.ts";
import { createExample } from "./schema.ts";

const toVariable = (name: string) => name.replace(/([a-z])([A-Z])/g, "$1_$2").toUpperCase();
const indent = (text: string, by: string) => text.replace(/\n/g, `\n${by}`);

export interface Body {
  mediaType: string;
  example: unknown;
}

/** The content of a body that examples show: JSON, if the operation reads it. Empty without one. */
export function findContent(body: Operation["body"]) {
  const all = Object.entries(body?.content ?? {});
  return all.find(([type]) => type === "application/json") ?? all[0] ?? [];
}

/** The body that an example sends. */
export function findBody({ body }: Operation, schemas: Record<string, Schema>): Body | null {
  const [mediaType, content] = findContent(body);
  if (!mediaType || !content) return null;
  return { mediaType, example: content.example ?? createExample(content.schema ?? {}, schemas) };
}

const needed = ({ parameters }: Operation) => parameters.filter((one) => one.in === "query" && one.required);
const isStream = ({ responses }: Operation) => responses.some(({ content }) => content["text/event-stream"]);

/** The command of curl. The variables are those of the quick start. */
export function formatCurl(operation: Operation, body: Body | null): string {
  const { method, path, security } = operation;
  const query = needed(operation).map(({ name }) => `${name}=$${toVariable(name)}`);
  const address = path.replace(/\{(\w+)\}/g, (_, name: string) => `$${toVariable(name)}`);
  const lines = [
    `curl ${isStream(operation) ? "-N " : ""}${method === "GET" ? "" : `-X ${method} `}"$BASE${address}${query.length > 0 ? `?${query.join("&")}` : ""}"`,
  ];
  if (security?.length !== 0) lines.push('-H "Authorization: Bearer $KEY"');
  if (body?.mediaType === "application/json") {
    lines.push('-H "Content-Type: application/json"');
    lines.push(`-d '${indent(JSON.stringify(body.example, null, 2), "  ").replaceAll("'", "'\\''")}'`);
  } else if (body) {
    lines.push(`-H "Content-Type: ${body.mediaType}"`, "--data-binary @FILE");
  }
  return lines.join(" \\\n  ");
}

/** The call of the client library. */
export function formatLibraryCall(operation: Operation, body: Body | null): string {
  const { method, path, parameters } = operation;
  const inPath = parameters.filter((one) => one.in === "path").map(({ name }) => name);
  const query = needed(operation).map(({ name }) => name);
  const options = [
    inPath.length > 0 && `path: { ${inPath.join(", ")} }`,
    query.length > 0 && `query: { ${query.join(", ")} }`,
    body && `body: ${body.mediaType === "application/json" ? formatValue(body.example) : "file"}`,
    parameters.some(({ name }) => name === "Idempotency-Key") && "idempotencyKey: crypto.randomUUID()",
  ].filter((option) => typeof option === "string");
  const name = JSON.stringify(`${method} ${path}`);
  const oneLine = options.length === 0 ? name : `${name}, { ${options.join(", ")} }`;
  const fits = oneLine.length < 80 && !oneLine.includes("\n");
  const given = fits ? oneLine : `${name}, {\n${options.map((option) => `  ${indent(option, "  ")},\n`).join("")}}`;
  return isStream(operation)
    ? `for await (const { type, data } of sy.follow(${given})) console.log(type, data);`
    : `${operation.responses.some(({ content }) => content["application/json"]) ? "const result = " : ""}await sy.request(${given});`;
}

/** A value as TypeScript: names of fields need no quotes. */
const formatValue = (value: unknown) => JSON.stringify(value, null, 2).replace(/^(\s*)"([A-Za-z_]\w*)":/gm, "$1$2:");
