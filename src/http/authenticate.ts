// Authentication and authorization of a request. Key, user, membership and the row of the noun in
// the path are read in one D1 round trip.
import { waitUntil } from "cloudflare:workers";
import {
  type Access,
  type CronFound,
  type Detail,
  type FactsRequest,
  type Found,
  findAccess,
  type NounKind,
  type ProjectFound,
  type WorkspaceFound,
} from "../access/queries.ts";
import { findOwner } from "../access/rules/actor.ts";
import { type Caller, findClientAgent, type Key, toCaller } from "../access/rules/caller.ts";
import { checkWorkspaceAccess } from "../access/rules/membership.ts";
import { type Action, checkCallerKind, checkPermission } from "../access/rules/permission-table.ts";
import { checkSuspension, suspendedWorkspace } from "../access/rules/suspension.ts";
import type { Env } from "../env.ts";
import { readCredential } from "../key/credential.ts";
import { recordKeyUse } from "../key/queries/keys.ts";
import { getKeyHash } from "../lib/base64url.ts";
import { log } from "../lib/log.ts";
import { keyUseAccuracyMs } from "../rules/limits.ts";
import { isRefusal, type Refusal, refuse } from "../rules/refusal.ts";
import { findAgentClient, isAgentRequest } from "./agent-request.ts";
import { checkBarred, countFailure, type FailureLimitEnv, recordValidCredential } from "./failed-credentials.ts";
import { checkKeyLimit, checkUserLimit, type KeyLimitEnv } from "./rate-limit.ts";

const unknown = refuse("UNAUTHORIZED", "The credential is unknown or revoked. Send a valid API key.");
const expired = refuse("UNAUTHORIZED", "The credential has expired. Send a valid API key, or sign in again.");

const notOfPerson = refuse(
  "FORBIDDEN",
  "MCP takes the API key of a person, or the token of an agent that a person connected.",
);
const onlyForMcp = refuse("FORBIDDEN", "The token of a connected agent is for /mcp only.");

/** The bindings and settings for authentication. */
type AccessEnv = Pick<Env, "DB" | "PUBLIC_URL"> & KeyLimitEnv & FailureLimitEnv;

/** The action of a request and the noun that it acts on. */
export interface AskedAction<Kind extends NounKind = NounKind, With extends Detail = Detail>
  extends FactsRequest<Kind, With> {
  action: Action;
}

export interface Authenticated<Kind extends NounKind, With extends Detail = never> {
  caller: Caller;
  found: Found<Kind, With>;
}

/** Authorizes a request for one action on one noun, or refuses it. */
export async function authenticate<Kind extends NounKind, With extends Detail = never>(
  env: AccessEnv,
  request: Request,
  asked: AskedAction<Kind, With>,
  now: number,
): Promise<Authenticated<Kind, With> | Refusal> {
  const credential = readCredential(request, env.PUBLIC_URL);
  if (isRefusal(credential)) return credential;
  const hash = await getKeyHash(credential);
  const barred = checkBarred(env, request, now, hash);
  if (barred) return barred;
  const [access, excess] = await Promise.all([findAccess(env.DB, hash, asked), checkKeyLimit(env, hash, now)]);
  const sender = access && findCaller(access, now);
  // Only the holder of a credential learns that it has expired.
  if (!access || !sender) return (await countFailure(env, request, now)) ?? (access ? expired : unknown);
  recordValidCredential(hash, now);
  const refused = excess ?? (await checkUserLimit(env, access.key, now));
  if (refused) return refused;
  recordUse(env, access.key, hash, now);
  const caller = isAgentRequest(request) ? findClientAgent(sender, findAgentClient(request)) : sender;
  if (caller === null) return notOfPerson;
  if (caller.facts.kind === "client" && !isAgentRequest(request)) return onlyForMcp;
  const refusal = judge(asked, caller, access);
  // The type is safe: `findAccess` reads the rows of the noun's kind, and missing rows have been
  // refused above.
  return refusal ?? { caller, found: access.found as Found<Kind, With> };
}

/**
 * Checks the access of a request that takes long once more. The rate limit does not count this
 * check.
 */
export async function checkStillAuthorized(
  env: Pick<AccessEnv, "DB" | "PUBLIC_URL">,
  request: Request,
  asked: AskedAction,
  now: number,
): Promise<Refusal | null> {
  const credential = readCredential(request, env.PUBLIC_URL);
  if (isRefusal(credential)) return credential;
  const { noun, params } = asked;
  const access = await findAccess(env.DB, await getKeyHash(credential), { noun, params });
  const caller = access && findCaller(access, now);
  if (!access || !caller) return access ? expired : unknown;
  return judge(asked, caller, access);
}

/** The caller of a key; null if the key has expired or its user is gone. */
function findCaller({ key, user, workspaceId, role, found }: Access, now: number): Caller | null {
  if (key.expiresAt !== null && key.expiresAt <= now) return null;
  const project = found.project as Pick<ProjectFound, "id"> | null | undefined;
  return toCaller(key, user, { workspaceId, projectId: project?.id ?? null, role });
}

function judge(
  { action, noun }: Pick<AskedAction, "action" | "noun">,
  caller: Caller,
  { key, workspaceId, unknown, missing, found }: Access,
): Refusal | null {
  const role = "role" in caller.actor ? caller.actor.role : null;
  const suspended = checkSuspension(key);
  if (suspended) return suspended;
  // A caller without a user is bound to one workspace, which the permission checks.
  const isUser = caller.user !== null;
  const stranger = checkWorkspaceAccess({
    isBound: isUser && caller.workspaceId !== null,
    boundRole: key.role,
    unknown,
    hasWorkspace: isUser && workspaceId !== null,
    role,
  });
  if (stranger) return stranger;
  if (workspaceId !== null) {
    const { suspendedAt } = found.workspace as Pick<WorkspaceFound, "suspendedAt">;
    if (suspendedAt !== null) return suspendedWorkspace;
  }
  if (noun === "inBody") return checkCallerKind(action, caller.facts);
  const refusal = checkPermission(action, caller.facts, { role, isOwn: isOwnNoun(caller, found) });
  if (refusal) return refusal;
  return missing === null ? null : refuse("NOT_FOUND", `There is no such ${missing}.`);
}

/**
 * True for the creator of the noun. A noun without a creator counts as the caller's. So does one
 * whose object checks the author itself.
 */
function isOwnNoun({ actor }: Caller, { cron }: Access["found"]): boolean {
  return !cron || (cron as CronFound).createdBy === findOwner(actor)?.id;
}

/** Records the approximate time of the last use of a program's key, after the response. */
function recordUse(env: AccessEnv, { kind, lastUsedAt }: Key, hash: string, now: number): void {
  if ((kind !== "api-key" && kind !== "client") || (lastUsedAt !== null && now - lastUsedAt < keyUseAccuracyMs)) return;
  waitUntil(recordKeyUse(env.DB, hash, now).catch((error: unknown) => log.warn("api_key.use_not_recorded", { error })));
}
