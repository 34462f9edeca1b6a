// GitHub's description of the operations in use, and a check of requests against it.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import * as z from "zod";

type Schema = Parameters<typeof z.fromJSONSchema>[0];

export interface Operation {
  method: string;
  path: string;
  parameters: { name: string; in: string; required?: boolean; schema: Schema }[];
  /** Null for an operation without a body. */
  body: Schema | null;
  /** A response, of the operations that read one. */
  example?: unknown;
}

export interface Operations {
  source: string;
  operations: Operation[];
}

export interface SentRequest {
  method: string;
  /** The path below the API's address, with the query. */
  path: string;
  body: unknown;
}

const { operations }: Operations = JSON.parse(
  readFileSync(join(import.meta.dirname, "github-operations.json"), "utf8"),
);

/** Such as `GET /repos/{owner}/{repo}/pulls`. */
export const operationsInUse = operations.map(({ method, path }) => `${method.toUpperCase()} ${path}`);

/** GitHub's example of a response to `GET` of a path. Throws without one. */
export function getExample(path: string): unknown {
  const example = operations.find((one) => one.path === path && one.method === "get")?.example;
  if (example === undefined) throw new Error(`GitHub has no example of ${path}`);
  return example;
}

/**
 * Returns the operation of a request, and the parts of the request that GitHub does not describe.
 */
export function holdAgainstGithub({ method, path, body }: SentRequest): {
  operation: string | null;
  problems: string[];
} {
  const url = new URL(path, "https://api.github.com");
  for (const operation of operations) {
    const pattern = operation.path.replace(/\{(\w+)\}/g, "(?<$1>[^/]+)");
    const found = new RegExp(`^${pattern}$`).exec(url.pathname);
    if (!found || operation.method !== method.toLowerCase()) continue;
    const values = { path: new Map(Object.entries(found.groups ?? {})), query: new Map(url.searchParams) };
    const problems = [
      ...listProblems(operation, "path", values.path),
      ...listProblems(operation, "query", values.query),
    ];
    return {
      operation: `${method} ${operation.path}`,
      problems: [...problems, ...problemsOfBody(operation.body, body)],
    };
  }
  return { operation: null, problems: [`GitHub has no ${method} ${url.pathname}`] };
}

function listProblems({ parameters }: Operation, place: "path" | "query", values: Map<string, string>): string[] {
  const known = parameters.filter((parameter) => parameter.in === place);
  const unknown = [...values.keys()].filter((name) => !known.some((parameter) => parameter.name === name));
  const wrong = known.filter(({ name, required, schema }) => {
    const text = values.get(name);
    if (text === undefined) return required === true;
    const value = typeof schema === "object" && schema.type === "integer" ? Number(text) : decodeURIComponent(text);
    return !z.fromJSONSchema(schema).safeParse(value).success;
  });
  return [
    ...unknown.map((name) => `${place} ${name} is unknown`),
    ...wrong.map(({ name }) => `${place} ${name} is wrong`),
  ];
}

function problemsOfBody(schema: Schema | null, body: unknown): string[] {
  if (schema === null) return body === undefined ? [] : ["no body is read"];
  const { properties = {} } = schema as { properties?: object };
  const unknown = Object.keys(Object(body)).filter((name) => !Object.hasOwn(properties, name));
  const parsed = z.fromJSONSchema(schema).safeParse(body);
  return [...unknown.map((name) => `body ${name} is unknown`), ...(parsed.success ? [] : [parsed.error.message])];
}
