// Authentication: who calls, and whether they may do this to the noun of the path. Key, user, membership and the noun's row come in one
// D1 round trip.
import type { Env } from "../env.ts";
import type { Caller } from "../rules/caller.ts";
import { membership } from "../rules/membership.ts";
import { type Action, permit } from "../rules/permission.ts";
import { type Refusal, refuse } from "../rules/refusal.ts";
import type { Author } from "../rules/session.ts";
import { credentialHash } from "../storage/credential-hash.ts";
import { type Access, findAccess, type NounKind, type NounsFound } from "../storage/queries/access.ts";

export interface Authenticated<Kind extends NounKind> {
  caller: Caller;
  found: NounsFound[Kind];
}

const bearer = /^Bearer (svc_[a-z]{3}_[A-Za-z0-9_-]{43})$/;

/** Lets a request through to one action on one noun, or refuses it. */
export async function authenticate<Kind extends NounKind>(
  env: Env,
  request: Request,
  action: Action,
  noun: Kind,
  params: Record<string, string>,
  now: number,
): Promise<Authenticated<Kind> | Refusal> {
  const credential = bearer.exec(request.headers.get("authorization") ?? "")?.[1];
  if (!credential) return refuse("UNAUTHORIZED");
  const access = await findAccess(env.DB, await credentialHash(credential), noun, params);
  if (!access || (access.key.expiresAt !== null && access.key.expiresAt <= now)) return refuse("UNAUTHORIZED");
  const caller = callerOf(access);
  if (!caller) return refuse("UNAUTHORIZED");
  const { workspace } = access;
  if (noun === "none") return permitted(action, caller, access);
  if (!workspace)
    return refuse("NOT_FOUND", noun === "workspace" ? "There is no such workspace." : "There is no such project.");
  // A relay stands for no user: its key is bound to one workspace instead.
  const stranger = caller.user ? membership(access.role) : null;
  if (stranger) return stranger;
  if (noun.startsWith("session") && !access.session)
    return refuse("NOT_FOUND", "There is no such session in this project.");
  return permitted(action, caller, access);
}

function permitted<Kind extends NounKind>(
  action: Action,
  caller: Caller,
  access: Access,
): Authenticated<Kind> | Refusal {
  const refusal = permit(action, caller.facts, { role: access.role, isOwn: true });
  // `findAccess` read what the noun's kind promises, and the checks before this one refused what was missing.
  return refusal ?? { caller, found: access as unknown as NounsFound[Kind] };
}

function callerOf({ key, user, workspace }: Access): Caller | null {
  const sameWorkspace = workspace === null || key.workspaceId === workspace.id;
  switch (key.kind) {
    case "browser":
    case "api-key": {
      if (!user) return null;
      const author: Author = {
        kind: "member",
        userId: user.id,
        name: user.name,
        email: user.email,
        imageUrl: user.imageUrl,
      };
      return { keyId: key.id, facts: { kind: key.kind }, user, author };
    }
    case "relay":
      return { keyId: key.id, facts: { kind: "relay", sameWorkspace }, user: null, author: { kind: "relay" } };
    // Nothing hands out keys of these kinds.
    case "agent":
    case "cron-run":
      return null;
  }
}
