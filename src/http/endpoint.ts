// An endpoint: one declaration from which a route gets its access check, its validation, its
// envelope and its OpenAPI operation.
import type { HonoBase } from "hono/hono-base";
import * as z from "zod";
import type { Detail, Found, NounKind } from "../access/queries.ts";
import type { Caller } from "../access/rules/caller.ts";
import type { User } from "../access/rules/membership.ts";
import type { Action } from "../access/rules/permission-table.ts";
import { isAudited } from "../audit/rules/audited.ts";
import { toAuditTarget } from "../audit/rules/event.ts";
import type { TurnOwner } from "../chat/rules/chat.ts";
import type { Attachment } from "../chat/rules/message.ts";
import type { Env } from "../env.ts";
import { isUuid } from "../lib/ids.ts";
import { getAnnouncedBytes } from "../lib/request-bytes.ts";
import type { Idempotency } from "../rules/idempotency.ts";
import { authorizedMs } from "../rules/limits.ts";
import { isRefusal, type Refusal, type RefusalCode, refuse } from "../rules/refusal.ts";
import type { SessionVersion } from "../session/rules/version.ts";
import { createAttachmentStore } from "../storage/attachments.ts";
import { claimIdBeforeBody } from "../storage/idempotent-create.ts";
import { recordCall } from "./audited-call.ts";
import { authenticate, checkStillAuthorized } from "./authenticate.ts";
import { type DeclaredBody, isForm, readBody, readRestOfBody } from "./body.ts";
import { formBytes } from "./form.ts";
import { createIdempotency, createRepeatKey, readIdempotencyKey } from "./idempotency-key.ts";
import { isUuidParameter, type PathParameters, toLowerCaseIds } from "./path-parameters.ts";
import { toQueryValues } from "./query.ts";
import { checkVisitorLimit, type PublicCounter } from "./rate-limit.ts";
import { type RouteResult, toMethodNotAllowed, toRefusalResponse, toResponse, withETag } from "./response.ts";
import { isUndecided, withRetry } from "./retried-call.ts";
import type { Tag } from "./tags.ts";
import { check, getNames } from "./validation.ts";

export interface Call<Kind extends NounKind, Query, Body, With extends Detail = never, Path extends string = ""> {
  env: Env;
  now: number;
  request: Request;
  caller: Caller;
  /** Authorizes the caller again, for a long response such as an event stream. */
  isStillAuthorized(): Promise<boolean>;
  /** The noun of the path with its parents, and the details that the route reads with it. */
  found: Found<Kind, With>;
  /** The parameters that the path names. */
  params: PathParameters<Path>;
  query: Query;
  body: Body;
  /** The files of the body. They are deleted if the call is refused. */
  attachments: Attachment[];
  /**
   * Deletes the files of a successful call that does not use them, such as an idempotent repeat.
   */
  dropAttachments(): Promise<void>;
  /**
   * The session's version before the form was read, because its upload may take long. Only for
   * routes with `version`.
   */
  seen: SessionVersion | null;
  /** The id of what the call creates, if the files of a form are stored for it already. */
  reservedId: string | undefined;
  /** Set if the route is repeatable and the caller sent an Idempotency-Key. */
  idempotency: Idempotency | null;
}

interface Described<Path extends string = string> {
  method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** The path, with `{name}` for parameters. */
  path: Path;
  /** The operation id, from which generated clients derive method names. */
  operation: string;
  /** The description. Its first sentence is the summary in the OpenAPI document. */
  summary: string;
  tag: Tag;
  /** The success response: its status, and its `data` or its media type. */
  response: {
    status: 101 | 200 | 201 | 202 | 204 | 302;
    data?: z.ZodType;
    isPaged?: true;
    /** The schema of the metadata of a list that has no pages. */
    meta?: z.ZodType;
    isBare?: true;
    mediaType?: string;
    /** Its `ETag` has the id of what it contains. */
    isTagged?: true;
    /** The data of each server-sent event, by the event's name. */
    events?: z.ZodObject;
  };
  /** The condition under which it returns the same response with 200 instead. */
  repeatResponse?: string;
  /** The condition under which it returns 204 instead. */
  emptyResponse?: string;
  /** The error codes of this route, besides those of every route. */
  refusals?: RefusalCode[];
  /** Accepts an Idempotency-Key, on routes that start work. */
  isRepeatable?: true;
  /** Its response has an ETag, for clients that keep it and ask whether it changed. */
  hasETag?: true;
  /** The caller signs the body instead of sending a credential. */
  isSigned?: true;
  /** The caller sends a key of its own as the bearer token. */
  isKeyed?: true;
  /** Also open without a credential, for signing in. */
  allowsAnonymous?: true;
}

export interface Endpoint extends Described {
  access: Action | "public";
  query?: z.ZodType;
  body?: DeclaredBody<unknown>;
  /** `params` has every parameter that the path names. */
  serve(request: Request, env: Env, params: Record<string, string>): Promise<RouteResult | Refusal>;
}

interface Declaration<Kind extends NounKind, Query, Body, With extends Detail, Path extends string>
  extends Described<Path> {
  access: Action;
  noun: Kind;
  /** The details that are read with the noun. */
  with?: readonly With[];
  query?: z.ZodType<Query>;
  body?: DeclaredBody<Body>;
  /** How the audit log records a successful call, where its action is audited. */
  audit?: {
    /**
     * The field of `data` with the workspace, where the path names none and the change is not of
     * the caller's account.
     */
    workspaceField?: "id" | "orgId";
    /** False for a response that changed nothing. */
    isChange?(data: Record<string, unknown>): boolean;
  };
  /** Reads the session's version before a form is read. */
  version?(env: Env, found: Found<Kind, With>): Promise<SessionVersion | Refusal>;
  /** True if a form creates the session that its files belong to. */
  reservesSession?: true;
  handle(call: Call<Kind, Query, Body, With, Path>): Promise<RouteResult | Refusal>;
}

/** Declares a route that needs a credential. */
export function endpoint<
  Path extends string,
  Kind extends NounKind,
  Query = undefined,
  Body = undefined,
  With extends Detail = never,
>(declared: Declaration<Kind, Query, Body, With, Path>): Endpoint {
  const { noun, with: details, version, reservesSession, audit, handle, ...described } = declared;
  return {
    ...(described as Omit<Endpoint, "serve">),
    async serve(request, env, params) {
      const outcome = await respond(request, env, params);
      if (declared.body?.isStreamed && isRefusal(outcome) && !ofStrangers.has(outcome.code))
        await readRestOfBody(request);
      return outcome;
    },
  };

  async function respond(...[request, env, params]: Parameters<Endpoint["serve"]>): ReturnType<Endpoint["serve"]> {
    const now = Date.now();
    const asked = { action: declared.access, noun, with: details, params };
    const authenticated = await authenticate(env, request, asked, now);
    if (isRefusal(authenticated)) return authenticated;
    if (Object.entries(params).some(([name, value]) => isUuidParameter(name) && !isUuid(value)))
      return refuse("NOT_FOUND");
    const bodyNames = getNames(declared.body?.schema);
    const query = readQuery(declared.query, request, bodyNames);
    if (isRefusal(query)) return query;
    const chosenKey = declared.isRepeatable ? readIdempotencyKey(request.headers) : null;
    if (isRefusal(chosenKey)) return chosenKey;
    const seen = version && isForm(request) ? await version(env, authenticated.found) : null;
    if (isRefusal(seen)) return seen;
    const repeatKey = chosenKey && (await createRepeatKey(chosenKey, authenticated.caller, request));
    const reservedId = reservesSession && isForm(request) ? await claimIdBeforeBody(env.DB, repeatKey, now) : undefined;
    const mostBytes = Math.min(getAnnouncedBytes(request), formBytes);
    const payer = attachmentOwner(params);
    const owner = attachmentOwner(reservedId === undefined ? params : { sessionId: reservedId });
    const store = createAttachmentStore(env, { owner, payer, mostBytes });
    const read = await readBody(declared.body, request, {
      store,
      isCompared: repeatKey !== null,
      queryNames: getNames(declared.query),
    });
    if (isRefusal(read)) return read;
    const { body, attachments, content } = read;
    const checkAccess = () => checkStillAuthorized(env, request, asked, Date.now());
    // The caller may have lost access while the body arrived.
    const lost = Date.now() - now > authorizedMs ? await checkAccess() : null;
    if (lost) {
      await store.drop(attachments);
      return lost;
    }
    const idempotency = repeatKey === null ? null : await createIdempotency(repeatKey, content);
    const dropAttachments = () => store.drop(attachments);
    const named = params as PathParameters<Path>;
    const base = { env, now, request, params: named, ...authenticated, query: query.value, seen, reservedId };
    const isStillAuthorized = async () => (await checkAccess()) === null;
    const call = { ...base, isStillAuthorized, body, attachments, dropAttachments, idempotency };
    // A second attempt that is recognized as a repeat returns the result of the first one, which
    // uses the files.
    const again = { ...call, dropAttachments: async () => {} };
    const outcome =
      idempotency === null ? await handle(call) : await withRetry((isAgain) => handle(isAgain ? again : call));
    if (isRefusal(outcome) && !isUndecided(outcome)) await dropAttachments();
    if (!isRefusal(outcome) && isAudited(declared.access, declared.method)) await recordChange(outcome, call);
    return outcome;
  }

  /** Records a successful call in the audit log, unless it changed nothing. */
  async function recordChange(answered: RouteResult, call: Call<Kind, Query, Body, With, Path>): Promise<void> {
    const data = "data" in answered ? (answered.data as Record<string, unknown>) : {};
    if (answered.isUnchanged || audit?.isChange?.(data) === false) return;
    const { env, request, params, now: at, caller, found, idempotency } = call;
    const workspaceId = audit?.workspaceField ? String(data[audit.workspaceField]) : findWorkspaceId(found);
    await recordCall(env, request, {
      operation: declared.operation,
      at,
      target: toAuditTarget(params, data),
      workspaceId,
      caller,
      repeat: idempotency?.key,
    });
  }
}

/** Refusals of callers for whom the service reads no body. */
const ofStrangers = new Set<Refusal["code"]>(["UNAUTHORIZED", "TOO_MANY_REQUESTS"]);

function findWorkspaceId(found: object): string | null {
  return "workspace" in found ? (found.workspace as { id: string }).id : null;
}

/** The owner of the files of a body: the session of the path, else its project. */
function attachmentOwner({ sessionId, projectId = "" }: Record<string, string>): TurnOwner {
  return sessionId === undefined ? { type: "project", id: projectId } : { type: "session", id: sessionId };
}

type PublicCall<Query, Path extends string = ""> = Pick<
  Call<NounKind, Query, unknown, never, Path>,
  "env" | "now" | "request" | "params" | "query"
>;

/** Declares a route without authentication. */
export function publicEndpoint<Path extends string, Query = undefined>(
  declared: Described<Path> & {
    query?: z.ZodType<Query>;
    /** The rate limit counter of its visitors. */
    counter?: PublicCounter;
    /** The body for the OpenAPI document. The route reads it itself. */
    body?: DeclaredBody<unknown>;
    handle(call: PublicCall<Query, Path>): Promise<RouteResult | Refusal>;
  },
): Endpoint {
  const { handle, counter, ...described } = declared;
  return {
    ...described,
    access: "public",
    async serve(request, env, params) {
      const now = Date.now();
      const excess = counter && (await checkVisitorLimit(env, counter, request, now));
      if (excess) return excess;
      const query = readQuery(declared.query, request);
      return isRefusal(query)
        ? query
        : await handle({ env, now, request, params: params as PathParameters<Path>, query: query.value });
    },
  };
}

export interface SignInCall<Query> extends PublicCall<Query> {
  /** The signed-in user; null if there is none. */
  user: User | null;
}

/** Declares a route of the sign-in. A caller with a credential is authenticated by it. */
export function signInEndpoint<Query>(
  declared: Described & {
    access: Action;
    query: z.ZodType<Query>;
    handle(call: SignInCall<Query>): Promise<RouteResult | Refusal>;
  },
): Endpoint {
  const { handle, ...described } = declared;
  return {
    ...described,
    allowsAnonymous: true,
    async serve(request, env, params) {
      const now = Date.now();
      const known = await authenticate(env, request, { action: declared.access, noun: "none", params }, now);
      // A browser with an expired session counts as not signed in.
      const isStranger =
        isRefusal(known) && known.code === "UNAUTHORIZED" && request.headers.get("authorization") === null;
      if (isRefusal(known) && !isStranger) return known;
      const query = readQuery(declared.query, request);
      if (isRefusal(query)) return query;
      const user = isRefusal(known) ? null : known.caller.user;
      return await handle({ env, now, request, params: {}, query: query.value, user });
    },
  };
}

/** Calls an endpoint. A read that an object could not answer is tried again. */
export async function callEndpoint(
  { method, serve }: Pick<Endpoint, "method" | "serve">,
  request: Request,
  env: Env,
  params: Record<string, string>,
): Promise<RouteResult | Refusal> {
  const named = toLowerCaseIds(params);
  const attempt = () => serve(request, env, named);
  return await (method === "GET" ? withRetry(attempt) : attempt());
}

/** Adds endpoints to the router. */
export function addEndpoints<Variables extends object>(
  app: HonoBase<{ Bindings: Env; Variables: Variables }>,
  endpoints: Endpoint[],
): void {
  for (const endpoint of endpoints) {
    app.on(endpoint.method, routerPath(endpoint.path), async (context) => {
      const outcome = await callEndpoint(endpoint, context.req.raw, context.env, context.req.param());
      if (isRefusal(outcome)) return toRefusalResponse(outcome);
      const response = toResponse(outcome);
      if (endpoint.hasETag) return await withETag(response, context.req.raw);
      // The router drops the body unread, so that its source, such as a stream, would never end.
      if (context.req.raw.method === "HEAD") response.body?.cancel().catch(() => {});
      return response;
    });
  }
  // These are registered after all methods, so that a fixed path cannot hide the methods of a path
  // with a parameter. Fixed paths come first, because their response is more specific.
  const byPath = [...Map.groupBy(endpoints, ({ path }) => path)];
  byPath.sort(([one], [other]) => one.split("{").length - other.split("{").length);
  for (const [path, ofPath] of byPath) {
    const methods = ofPath.flatMap(({ method }) => (method === "GET" ? [method, "HEAD"] : [method]));
    app.all(routerPath(path), () => toMethodNotAllowed(methods));
  }
}

function routerPath(path: string): string {
  return path.replace(/\{(\w+)\}/g, ":$1");
}

/** The query of a route that declares none: no parameters. */
const noNames = z.strictObject({});

/** `bodyNames` are the fields of the body, which explain a misplaced parameter. */
function readQuery<Query>(
  schema: z.ZodType<Query> | undefined,
  request: Request,
  bodyNames: readonly string[] = [],
): { value: Query } | Refusal {
  const part = { name: "query parameter", elsewhere: bodyNames } as const;
  if (schema) return check(schema, toQueryValues(new URL(request.url)), "BAD_REQUEST", part);
  const named = request.url.includes("?")
    ? check(noNames, toQueryValues(new URL(request.url)), "BAD_REQUEST", part)
    : null;
  // A route without a query schema has the type `undefined` for it.
  return isRefusal(named) ? named : { value: undefined as Query };
}
