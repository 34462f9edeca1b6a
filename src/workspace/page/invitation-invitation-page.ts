// The page of an invitation at `/invitations/{token}`, and its form.

import type { Caller } from "../../access/rules/caller.ts";
import type { User } from "../../access/rules/membership.ts";
import type { Env } from "../../env.ts";
import { respondRefusal } from "../../http/answer.ts";
import { authenticate } from "../../http/authenticate.ts";
import { readText } from "../../http/body.ts";
import { revokeKey } from "../../key/create-and-revoke.ts";
import { endingCookie } from "../../key/credential.ts";
import { isRefusal } from "../../rules/refusal.ts";
import { acceptInvitation, readInvitation } from "../invitations-accept-invitation.ts";
import { invitationOf } from "../invitations-invitation-token.ts";
import { mayAccept } from "../rules/invitation.ts";
import { invitationPath } from "../wire-invitation.ts";
import { type InvitationView, invitationPage, signOutField } from "./invitation.tsx";

/** The form holds one short field at most. */
const formBytes = 1_024;

/** Answers `GET /invitations/{token}`. */
export async function showInvitation(request: Request, env: Env, token: string): Promise<Response> {
  const caller = await visitorOf(request, env);
  return invitationPage(await viewOf(env, token, caller?.user ?? null), invitationPath(token));
}

/** Answers `POST /invitations/{token}`, which accepts the invitation or signs out. Both lead back to the page, which shows what came of it. */
export async function answerInvitation(request: Request, env: Env, token: string): Promise<Response> {
  const headers = new Headers({ location: invitationPath(token) });
  const caller = await visitorOf(request, env);
  if (caller?.user) {
    const sent = await readText(request, formBytes);
    if (isRefusal(sent)) return respondRefusal(sent);
    if (new URLSearchParams(sent).has(signOutField)) {
      await revokeKey(env, { kind: "browser", userId: caller.user.id, keyId: caller.keyId });
      headers.set("set-cookie", endingCookie);
    } else await acceptInvitation(env, token, caller.user, Date.now());
  }
  return new Response(null, { status: 303, headers });
}

/** The signed-in visitor; null for one who is not, and for a form that another site sent. */
async function visitorOf(request: Request, env: Env): Promise<Caller | null> {
  const asked = { action: "invitation.accept", noun: "none", params: {} } as const;
  const known = await authenticate(env, request, asked, Date.now());
  return isRefusal(known) ? null : known.caller;
}

async function viewOf(env: Env, token: string, user: User | null): Promise<InvitationView> {
  const now = Date.now();
  if (!user) return (await invitationOf(env, token, now)) ? { type: "signed-out" } : { type: "over" };
  const read = await readInvitation(env, token, user.id, now);
  if (isRefusal(read)) return { type: "over" };
  const { workspaceName, role, isMember } = read.found;
  if (isMember) return { type: "member", workspaceName };
  switch (mayAccept(read.found)?.code) {
    case undefined:
      return role === null ? { type: "over" } : { type: "open", workspaceName, role, visitor: user };
    case "FORBIDDEN":
      return { type: "of-another", visitor: user };
    default:
      return { type: "over" };
  }
}
