// An endpoint: one declaration from which a route gets its access check, its validation, its envelope and its OpenAPI operation.
import type { Hono } from "hono";
import type * as z from "zod";
import type { Env } from "../env.ts";
import { isUuid } from "../ids.ts";
import type { Caller } from "../rules/caller.ts";
import type { Action } from "../rules/permission.ts";
import { isRefusal, type Refusal, type RefusalCode, refuse } from "../rules/refusal.ts";
import type { NounKind, NounsFound } from "../storage/queries/access.ts";
import { type Answer, respond, respondRefusal } from "./answer.ts";
import { authenticate } from "./authenticate.ts";
import { readJson, readMultipart } from "./body.ts";
import { queryValues } from "./query.ts";

export interface Call<Kind extends NounKind, Query, Body> {
  env: Env;
  now: number;
  request: Request;
  caller: Caller;
  /** The nouns of the path, as far as D1 knows them. */
  found: NounsFound[Kind];
  params: Record<string, string>;
  query: Query;
  body: Body;
}

export interface EndpointBody<Body> {
  schema: z.ZodType<Body>;
  /** Another limit than the usual one. */
  maxBytes?: number;
  /** Lets the route take multipart/form-data too; turns its fields into what `schema` reads. */
  multipart?: { maxBytes: number; read(fields: Record<string, unknown>): unknown };
}

interface Described {
  method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** With `{name}` for parameters, as the contract writes it. */
  path: string;
  summary: string;
  tag: string;
  /** What the success answer holds under `data`; its status. */
  answers: { status: 200 | 201 | 202 | 204; data?: z.ZodType; isPaged?: true; isBare?: true };
  /** The codes that this route answers beyond those that every route can. */
  refusals?: RefusalCode[];
}

export interface Endpoint extends Described {
  access: Action | "public";
  query?: z.ZodType;
  body?: EndpointBody<unknown>;
  serve(request: Request, env: Env, params: Record<string, string>): Promise<Answer | Refusal>;
}

interface Declaration<Kind extends NounKind, Query, Body> extends Described {
  access: Action;
  noun: Kind;
  query?: z.ZodType<Query>;
  body?: EndpointBody<Body>;
  handle(call: Call<Kind, Query, Body>): Promise<Answer | Refusal>;
}

/** Declares a route that needs a credential. */
export function endpoint<Kind extends NounKind, Query = undefined, Body = undefined>(
  declared: Declaration<Kind, Query, Body>,
): Endpoint {
  const { noun, handle, ...described } = declared;
  return {
    ...(described as Omit<Endpoint, "serve">),
    async serve(request, env, params) {
      const now = Date.now();
      const authenticated = await authenticate(env, request, declared.access, noun, params, now);
      if (isRefusal(authenticated)) return authenticated;
      if (Object.entries(params).some(([name, value]) => isUuidParam(name) && !isUuid(value)))
        return refuse("NOT_FOUND");
      const query = readQuery(declared.query, request);
      if (isRefusal(query)) return query;
      const body = await readBody(declared.body, request);
      if (isRefusal(body)) return body;
      return await handle({ env, now, request, params, ...authenticated, query: query.value, body: body.value });
    },
  };
}

/** Declares a route that anybody may call. */
export function publicEndpoint(
  declared: Described & {
    handle(call: {
      env: Env;
      now: number;
      request: Request;
      params: Record<string, string>;
    }): Promise<Answer | Refusal>;
  },
): Endpoint {
  const { handle, ...described } = declared;
  return {
    ...described,
    access: "public",
    serve: (request, env, params) => handle({ env, now: Date.now(), request, params }),
  };
}

/** Puts endpoints into the router. */
export function mount<Variables extends object>(
  app: Hono<{ Bindings: Env; Variables: Variables }>,
  endpoints: Endpoint[],
): void {
  for (const { method, path, serve } of endpoints) {
    app.on(method, path.replace(/\{(\w+)\}/g, ":$1"), async (context) => {
      const outcome = await serve(context.req.raw, context.env, context.req.param());
      return isRefusal(outcome) ? respondRefusal(outcome) : respond(outcome);
    });
  }
}

/** Workspace and user ids are opaque; every other id is a UUID, and text that is none names nothing. */
function isUuidParam(name: string): boolean {
  return name.endsWith("Id") && name !== "workspaceId" && name !== "userId";
}

function readQuery<Query>(schema: z.ZodType<Query> | undefined, request: Request): { value: Query } | Refusal {
  // A route without a query schema has the type `undefined` for it.
  if (!schema) return { value: undefined as Query };
  const parsed = schema.safeParse(queryValues(new URL(request.url)));
  return parsed.success ? { value: parsed.data } : invalid(parsed.error, "BAD_REQUEST");
}

async function readBody<Body>(
  declared: EndpointBody<Body> | undefined,
  request: Request,
): Promise<{ value: Body } | Refusal> {
  if (!declared) return { value: undefined as Body };
  const isMultipart = request.headers.get("content-type")?.startsWith("multipart/form-data") ?? false;
  let input: unknown;
  if (isMultipart) {
    if (!declared.multipart) return refuse("UNSUPPORTED_MEDIA_TYPE");
    const read = await readMultipart(request, declared.multipart.maxBytes);
    if (isRefusal(read)) return read;
    input = declared.multipart.read(read.fields);
    if (isRefusal(input)) return input;
  } else {
    const read = await readJson(request, declared.maxBytes);
    if (isRefusal(read)) return read;
    input = read.json;
  }
  const parsed = declared.schema.safeParse(input);
  return parsed.success ? { value: parsed.data } : invalid(parsed.error, "VALIDATION_ERROR");
}

function invalid(error: z.ZodError, code: "VALIDATION_ERROR" | "BAD_REQUEST"): Refusal {
  const details = error.issues.map(({ path, message }) => ({ path: path.join("."), message }));
  const first = details[0];
  return refuse(code, first ? `${first.path || "body"}: ${first.message}` : undefined, details);
}
