// Authentication: who calls, and whether they may do this to the noun of the path. Key, user, membership and the noun's row come in one
// D1 round trip.
import { waitUntil } from "cloudflare:workers";
import type { Env } from "../env.ts";
import { reasonOf } from "../reason.ts";
import { type Caller, callerOf, type Key } from "../rules/access/caller.ts";
import { membership } from "../rules/access/membership.ts";
import { type Action, permit } from "../rules/access/permission.ts";
import { keyUseAccuracyMs } from "../rules/limits.ts";
import { isRefusal, type Refusal, refuse } from "../rules/refusal.ts";
import { credentialHash } from "../storage/credential-hash.ts";
import { type Access, findAccess, type NounKind, type NounsFound } from "../storage/queries/access.ts";
import { noteKeyUse } from "../storage/queries/keys.ts";
import { credentialOf, isBrowserToken } from "./credential.ts";
import { type LimitedBy, limitKey } from "./rate-limit.ts";

/** What of the Worker's bindings and settings it takes to know a caller. */
type Circumstances = Pick<Env, "DB" | "PUBLIC_URL"> & LimitedBy;

export interface Authenticated<Kind extends NounKind> {
  caller: Caller;
  found: NounsFound[Kind];
}

/** Lets a request through to one action on one noun, or refuses it. */
export async function authenticate<Kind extends NounKind>(
  env: Circumstances,
  request: Request,
  action: Action,
  noun: Kind,
  params: Record<string, string>,
  now: number,
): Promise<Authenticated<Kind> | Refusal> {
  const credential = credentialOf(request, env.PUBLIC_URL);
  if (isRefusal(credential)) return credential;
  const hash = await credentialHash(credential);
  const [access, excess] = await Promise.all([
    findAccess(env.DB, hash, noun, params),
    isBrowserToken(credential) ? null : limitKey(env, hash, now),
  ]);
  const caller = access && callerIn(access, now);
  if (!access || !caller) return refuse("UNAUTHORIZED");
  if (excess) return excess;
  noteUse(env, access.key, hash, now);
  const refusal = judge(action, noun, caller, access);
  // `findAccess` read what the noun's kind promises, and the judgement refused what was missing.
  return refusal ?? { caller, found: access as unknown as NounsFound[Kind] };
}

/** True while a request that was let through still would be. It counts as no request of its own. */
export async function isStillLetThrough(
  env: Pick<Circumstances, "DB" | "PUBLIC_URL">,
  request: Request,
  action: Action,
  noun: NounKind,
  params: Record<string, string>,
  now: number,
): Promise<boolean> {
  const credential = credentialOf(request, env.PUBLIC_URL);
  if (isRefusal(credential)) return false;
  const access = await findAccess(env.DB, await credentialHash(credential), noun, params);
  const caller = access && callerIn(access, now);
  return access !== null && caller !== null && judge(action, noun, caller, access) === null;
}

/** Who shows a key; null for one that has expired, or that stands for nobody any more. */
function callerIn({ key, user, workspace, role }: Access, now: number): Caller | null {
  if (key.expiresAt !== null && key.expiresAt <= now) return null;
  return callerOf(key, user, { workspaceId: workspace?.id ?? null, role });
}

function judge(action: Action, noun: NounKind, caller: Caller, access: Access): Refusal | null {
  const { key, workspace, role } = access;
  // Who left the workspace that a key is bound to has no use of it, whatever it asks for.
  if (caller.user && caller.workspaceId !== null) {
    const left = membership(key.role);
    if (left) return left;
  }
  if (noun !== "none") {
    if (!workspace)
      return refuse("NOT_FOUND", `There is no such ${noun === "workspace" || noun === "stream" ? noun : "project"}.`);
    // Who stands for no user is bound to one workspace instead, which the permission looks at.
    const stranger = caller.user ? membership(role) : null;
    if (stranger) return stranger;
  }
  const refusal = permit(action, caller.facts, { role, isOwn: true });
  if (refusal) return refusal;
  const lacksSession = noun.startsWith("session") && !access.session;
  return lacksSession ? refuse("NOT_FOUND", "There is no such session in this project.") : null;
}

/** Keeps when an API key was last used, roughly, behind the request. */
function noteUse(env: Circumstances, { kind, lastUsedAt }: Key, hash: string, now: number): void {
  if (kind !== "api-key" || (lastUsedAt !== null && now - lastUsedAt < keyUseAccuracyMs)) return;
  waitUntil(
    noteKeyUse(env.DB, hash, now).catch((error: unknown) => console.error("key use not kept:", reasonOf(error))),
  );
}
