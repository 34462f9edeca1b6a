// The page of an invitation: it leads to the sign-in, shows the workspace and the role, and has a
// button to accept. It works without scripts.
import type { Child } from "hono/jsx";
import type { Caller } from "../../access/rules/caller.ts";
import type { User } from "../../access/rules/membership.ts";
import type { Env } from "../../env.ts";
import { recordCall } from "../../http/audited-call.ts";
import { authenticate } from "../../http/authenticate.ts";
import { readText } from "../../http/body.ts";
import { toRefusalResponse } from "../../http/response.ts";
import { revokeKey } from "../../key/create-and-revoke.ts";
import { endingCookie } from "../../key/credential.ts";
import { renderPage } from "../../pages/document.tsx";
import { MessagePanel, type MessageText } from "../../pages/message-page.tsx";
import { isRefusal } from "../../rules/refusal.ts";
import { acceptInvitation, parseInvitationToken, readInvitation } from "../invitations.ts";
import { checkAcceptance } from "../rules/invitation.ts";
import type { GrantedRole } from "../rules/member.ts";
import { getInvitationPath } from "../wire.ts";

export type InvitationView =
  /** The visitor is not signed in. */
  | { type: "signed-out" }
  | { type: "open"; workspaceName: string; role: GrantedRole; visitor: Visitor }
  /** The visitor is a member, possibly since just now. */
  | { type: "member"; workspaceName: string }
  /** The invitation is for another email address than the visitor's. */
  | { type: "of-another"; visitor: Visitor }
  /** It was used, replaced or deleted, or has expired; or the token is invalid. */
  | { type: "over" };

interface Visitor {
  name: string;
  email: string;
}

/** The field of the page's form that signs the visitor out. Without it, the form accepts. */
const signOutField = "sign-out";

const roleNames: Record<GrantedRole, string> = { admin: "an admin", member: "a member" };

/** Renders the page at `path`, to which its form is posted. */
function invitationPage(view: InvitationView, path: string): Response {
  switch (view.type) {
    case "signed-out": {
      const text = "Sign in to see which workspace it is, and to accept.";
      return page({ tone: "resting", heading: "You are invited to a workspace", text }, 200, [
        <a class="button" href={`/api/auth/github/connect?returnTo=${encodeURIComponent(path)}`}>
          Sign in
        </a>,
      ]);
    }
    case "open": {
      const { workspaceName, role, visitor } = view;
      const text = `You are invited as ${roleNames[role]}. You are signed in as ${visitor.name}, ${visitor.email}.`;
      return page({ tone: "coming", heading: `Join ${workspaceName}`, text }, 200, [
        <form method="post" action={path}>
          <button type="submit">Accept the invitation</button>
        </form>,
      ]);
    }
    case "member": {
      const text = "Its projects and sessions are open to you.";
      return page({ tone: "coming", heading: `You are a member of ${view.workspaceName}`, text }, 200, [
        <a class="button" href="/">
          To your inbox
        </a>,
      ]);
    }
    case "of-another": {
      const { name, email } = view.visitor;
      const text = `You are signed in as ${name}, ${email}. Sign in as the user whom it was sent to, or ask for an invitation of your own.`;
      return page({ tone: "ended", heading: "This invitation is for another address", text }, 403, [
        <form method="post" action={path}>
          <button type="submit" name={signOutField} value="yes">
            Sign out
          </button>
        </form>,
      ]);
    }
    case "over": {
      const text =
        "It was accepted, replaced or deleted, or its 7 days are over. Ask an admin of the workspace for a new one.";
      return page({ tone: "ended", heading: "This invitation is no longer valid", text }, 404, []);
    }
  }
}

function page(notice: MessageText, status: number, actions: Child[]): Response {
  return renderPage({
    title: notice.heading,
    style: "",
    status,
    policy: { "form-action": "'self'", "frame-ancestors": "'none'" },
    // A browser sends the origin of a form only if the page's policy allows the referrer.
    headers: { "referrer-policy": "same-origin" },
    children: (
      <main class="alone">
        <MessagePanel notice={notice}>{actions}</MessagePanel>
      </main>
    ),
  });
}

/** The form contains at most one short field. */
const formBytes = 1_024;

/** Responds to `GET /invitations/{token}` with the page of the invitation and its form. */
export async function renderInvitation(request: Request, env: Env, token: string): Promise<Response> {
  const caller = await findVisitor(request, env);
  return invitationPage(await readView(env, token, caller?.user ?? null), getInvitationPath(token));
}

/**
 * Responds to `POST /invitations/{token}`, which accepts the invitation or signs out. Both redirect
 * to the page, which shows the outcome.
 */
export async function handleInvitation(request: Request, env: Env, token: string): Promise<Response> {
  const now = Date.now();
  const headers = new Headers({ location: getInvitationPath(token) });
  const caller = await findVisitor(request, env);
  if (caller?.user) {
    const sent = await readText(request, formBytes);
    if (isRefusal(sent)) return toRefusalResponse(sent);
    if (new URLSearchParams(sent).has(signOutField)) {
      await revokeKey(env, { kind: "browser", userId: caller.user.id, keyId: caller.keyId });
      headers.set("set-cookie", endingCookie);
      await recordCall(env, request, { operation: "signOut", at: now, caller, workspaceId: null, target: {} });
    } else {
      const workspaceId = await acceptInvitation(env, token, caller.user, now);
      const joined = { operation: "acceptInvitation", at: now, caller };
      if (!isRefusal(workspaceId))
        await recordCall(env, request, { ...joined, workspaceId, target: { id: workspaceId } });
    }
  }
  return new Response(null, { status: 303, headers });
}

/**
 * The signed-in visitor; null for a visitor who is not signed in, and for a form that another site
 * sent.
 */
async function findVisitor(request: Request, env: Env): Promise<Caller | null> {
  const asked = { action: "invitation.accept", noun: "none", params: {} } as const;
  const known = await authenticate(env, request, asked, Date.now());
  return isRefusal(known) ? null : known.caller;
}

async function readView(env: Env, token: string, user: User | null): Promise<InvitationView> {
  const now = Date.now();
  if (!user) return (await parseInvitationToken(env, token, now)) ? { type: "signed-out" } : { type: "over" };
  const read = await readInvitation(env, token, user.id, now);
  if (isRefusal(read)) return { type: "over" };
  const { workspaceName, role, isMember } = read.found;
  if (isMember) return { type: "member", workspaceName };
  switch (checkAcceptance(read.found)?.code) {
    case undefined:
      return role === null ? { type: "over" } : { type: "open", workspaceName, role, visitor: user };
    case "FORBIDDEN":
      return { type: "of-another", visitor: user };
    default:
      return { type: "over" };
  }
}
