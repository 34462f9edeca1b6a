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
import { keyHash } from "../storage/key-hash.ts";
import {
  type Access,
  type Asked,
  type Detail,
  type Found,
  findAccess,
  type NounKind,
} from "../storage/queries/access.ts";
import { noteKeyUse } from "../storage/queries/keys.ts";
import { credentialOf } from "./credential.ts";
import { countFailure, type FailuresCountedBy, noteGood, refuseBarred } from "./failed-credentials.ts";
import { type LimitedBy, limitKey } from "./rate-limit.ts";

/** The bindings and settings that it takes to know a caller. */
type AccessEnv = Pick<Env, "DB" | "PUBLIC_URL"> & LimitedBy & FailuresCountedBy;

/** What a request asks to do. */
export interface AskedAction<Kind extends NounKind = NounKind, With extends Detail = Detail> extends Asked<Kind, With> {
  action: Action;
}

export interface Authenticated<Kind extends NounKind, With extends Detail = never> {
  caller: Caller;
  found: Found<Kind, With>;
}

/** Lets a request through to one action on one noun, or refuses it. */
export async function authenticate<Kind extends NounKind, With extends Detail = never>(
  env: AccessEnv,
  request: Request,
  asked: AskedAction<Kind, With>,
  now: number,
): Promise<Authenticated<Kind, With> | Refusal> {
  const credential = credentialOf(request, env.PUBLIC_URL);
  if (isRefusal(credential)) return credential;
  const hash = await keyHash(credential);
  const barred = refuseBarred(env, request, now, hash);
  if (barred) return barred;
  const [access, excess] = await Promise.all([findAccess(env.DB, hash, asked), limitKey(env, hash, now)]);
  const caller = access && callerIn(access, now);
  if (!access || !caller) return (await countFailure(env, request, now)) ?? refuse("UNAUTHORIZED");
  noteGood(hash, now);
  if (excess) return excess;
  noteUse(env, access.key, hash, now);
  const refusal = judge(asked.action, caller, access);
  // `findAccess` read what the noun's kind promises, and the judgement refused what was missing.
  return refusal ?? { caller, found: access.found as Found<Kind, With> };
}

/** True while a request that was let through still would be. It counts as no request of its own. */
export async function isStillLetThrough(
  env: Pick<AccessEnv, "DB" | "PUBLIC_URL">,
  request: Request,
  { action, noun, params }: AskedAction,
  now: number,
): Promise<boolean> {
  const credential = credentialOf(request, env.PUBLIC_URL);
  if (isRefusal(credential)) return false;
  const access = await findAccess(env.DB, await keyHash(credential), { noun, params });
  const caller = access && callerIn(access, now);
  return access !== null && caller !== null && judge(action, caller, access) === null;
}

/** Who shows a key; null for one that has expired, or that stands for nobody any more. */
function callerIn({ key, user, workspaceId, role }: Access, now: number): Caller | null {
  if (key.expiresAt !== null && key.expiresAt <= now) return null;
  return callerOf(key, user, { workspaceId, role });
}

function judge(action: Action, caller: Caller, { key, workspaceId, role, unknown, missing }: Access): Refusal | null {
  // Who left the workspace that a key is bound to has no use of it, whatever it asks for.
  if (caller.user && caller.workspaceId !== null) {
    const left = membership(key.role);
    if (left) return left;
  }
  if (unknown !== null) return refuse("NOT_FOUND", `There is no such ${unknown}.`);
  if (workspaceId !== null) {
    // Who stands for no user is bound to one workspace instead, which the permission looks at.
    const stranger = caller.user ? membership(role) : null;
    if (stranger) return stranger;
  }
  const refusal = permit(action, caller.facts, { role, isOwn: true });
  if (refusal) return refusal;
  return missing === null ? null : refuse("NOT_FOUND", `There is no such ${missing}.`);
}

/** Keeps when an API key was last used, roughly, behind the request. */
function noteUse(env: AccessEnv, { kind, lastUsedAt }: Key, hash: string, now: number): void {
  if (kind !== "api-key" || (lastUsedAt !== null && now - lastUsedAt < keyUseAccuracyMs)) return;
  waitUntil(
    noteKeyUse(env.DB, hash, now).catch((error: unknown) => console.error("key use not kept:", reasonOf(error))),
  );
}
