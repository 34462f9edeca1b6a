// The parts of the OpenAPI document that the reference is made of.
import type { ApiDocument } from "../../scripts/api-document.ts";

export interface Schema {
  $ref?: string;
  type?: string | string[];
  format?: string;
  description?: string;
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  enum?: unknown[];
  const?: unknown;
  anyOf?: Schema[];
  oneOf?: Schema[];
  allOf?: Schema[];
  additionalProperties?: boolean | Schema;
  default?: unknown;
  examples?: unknown[];
  minimum?: number;
  maximum?: number;
  maxLength?: number;
  maxItems?: number;
}

export interface Parameter {
  name: string;
  in: "path" | "query" | "header";
  required?: boolean;
  description?: string;
  schema: Schema;
}

interface Content {
  schema?: Schema;
  example?: unknown;
  "x-events"?: Schema;
}

export interface ApiResponse {
  status: string;
  description: string;
  content: Record<string, Content>;
  codes: string[];
}

export interface Operation {
  id: string;
  method: string;
  path: string;
  summary: string;
  description: string;
  tag: string;
  parameters: Parameter[];
  body: { isRequired: boolean; content: Record<string, Content> } | null;
  responses: ApiResponse[];
  /** The kinds of credentials that it takes; null for the usual ones. */
  security: string[] | null;
}

export interface Reference {
  tags: { name: string; description: string }[];
  operations: Operation[];
  schemas: Record<string, Schema>;
  events: { type: string; summary: string }[];
}

interface WholeDocument extends ApiDocument {
  tags: { name: string; description: string }[];
  webhooks?: Record<string, { summary?: string }>;
}

interface RawOperation {
  operationId: string;
  summary: string;
  description?: string;
  tags: string[];
  parameters?: object[];
  requestBody?: object;
  responses: Record<string, object>;
  security?: Record<string, unknown>[];
}

const methods = new Set(["get", "post", "put", "patch", "delete"]);

/** Reads the operations, with their shared parts in place. */
export function parseDocument(given: ApiDocument): Reference {
  const document = given as WholeDocument;

  /** A part, or the component that it names. */
  function resolve<Part>(part: object): Part {
    const ref = "$ref" in part ? String(part.$ref) : null;
    if (ref === null) return part as Part;
    const [, , kind = "", name = ""] = ref.split("/");
    return document.components[kind]?.[name] as Part;
  }

  const operations = Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item)
      .filter(([method]) => methods.has(method))
      .map(([method, one]): Operation => {
        const raw = one as RawOperation;
        const shared = (item.parameters ?? []) as object[];
        const body =
          raw.requestBody && resolve<{ required?: boolean; content: Record<string, Content> }>(raw.requestBody);
        return {
          id: raw.operationId,
          method: method.toUpperCase(),
          path,
          summary: raw.summary.replace(/\.$/, ""),
          description: raw.description ?? "",
          tag: raw.tags[0] ?? "",
          parameters: [...shared, ...(raw.parameters ?? [])].map((parameter) => resolve<Parameter>(parameter)),
          body: body ? { isRequired: body.required === true, content: body.content } : null,
          responses: Object.entries(raw.responses).map(([status, response]) => {
            const {
              description,
              content = {},
              ...more
            } = resolve<{
              description: string;
              content?: Record<string, Content>;
              "x-error-codes"?: string[];
            }>(response);
            return { status, description, content, codes: more["x-error-codes"] ?? [] };
          }),
          security: raw.security?.flatMap((one) => Object.keys(one)) ?? null,
        };
      }),
  );
  return {
    tags: document.tags,
    operations,
    schemas: document.components.schemas as Record<string, Schema>,
    events: Object.entries(document.webhooks ?? {}).map(([type, { summary = "" }]) => ({ type, summary })),
  };
}

/** The name of the component that a schema is; null if it is none. */
export const getRefName = ({ $ref }: Schema): string | null => $ref?.split("/").at(-1) ?? null;
