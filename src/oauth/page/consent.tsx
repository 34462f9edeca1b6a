// The page on which a person allows a client to work for them over MCP. The form is bound to the
// browser session for which the page was rendered, and to the request that it showed.

import type { Scope } from "../../access/rules/scope.ts";
import type { Env } from "../../env.ts";
import { recordCall } from "../../http/audited-call.ts";
import { readText } from "../../http/body.ts";
import { toRefusalResponse } from "../../http/response.ts";
import { getKeyHash } from "../../lib/base64url.ts";
import { sign, verify } from "../../lib/signing.ts";
import {
  type BrowserCaller,
  Fact,
  findBrowserCaller,
  renderApproval,
  SignInLink,
  Warning,
} from "../../pages/approval.tsx";
import { consentMs } from "../../rules/limits.ts";
import { isRefusal } from "../../rules/refusal.ts";
import { listWorkspaces, type Workspace } from "../../workspace/queries/workspaces.ts";
import { findClient, getClientHash } from "../client-id.ts";
import { issueCode } from "../queries.ts";
import { type AuthorizationRequest, parseAuthorization } from "../rules/authorization.ts";
import { getRedirectTarget } from "../rules/redirect.ts";
import { getIssuer, getResource, oauthPaths } from "../wire.ts";

interface Asked extends AuthorizationRequest {
  clientName: string;
  clientHash: string;
  /** The query, as it was sent. */
  search: string;
}

/** What a form proves. */
interface Proof {
  /** The key of the browser session. */
  keyId: string;
  searchHash: string;
}

const words: Record<Scope, string> = {
  read: "Read your projects, sessions, conversations, changes and artifacts.",
  work: "Start sessions, write to them, stop their turns, and share previews. It never merges.",
};

/** The value of the workspace field for all of them. */
const all = "all";
const formBytes = 8_192;

/** Handles `GET /oauth/authorize`. */
export async function renderConsent(request: Request, env: Env): Promise<Response> {
  const asked = await readAsked(request, env);
  if (asked instanceof Response) return asked;
  const caller = await findBrowserCaller(request, env);
  return caller === null ? renderSignIn(asked) : await renderQuestion(env, asked, caller);
}

/** Handles `POST /oauth/authorize`. */
export async function handleConsent(request: Request, env: Env): Promise<Response> {
  const asked = await readAsked(request, env);
  if (asked instanceof Response) return asked;
  const caller = await findBrowserCaller(request, env);
  if (caller === null) return renderSignIn(asked);
  const sent = await readText(request, formBytes);
  if (isRefusal(sent)) return toRefusalResponse(sent);
  const fields = new URLSearchParams(sent);
  const proof = await verify<Proof>(env, "oauth-consent", fields.get("proof") ?? "", Date.now());
  const isProven = proof?.keyId === caller.keyId && proof.searchHash === (await getKeyHash(asked.search));
  if (!isProven) return await renderQuestion(env, asked, caller);
  switch (fields.get("decision")) {
    case "allow":
      return await allow(request, env, asked, { caller, workspace: fields.get("workspace") });
    case "deny":
      return leadBack(env, asked, { error: "access_denied", error_description: "The person denied it." });
    default:
      return await renderQuestion(env, asked, caller);
  }
}

async function allow(
  request: Request,
  env: Env,
  asked: Asked,
  { caller, workspace }: { caller: BrowserCaller; workspace: string | null },
): Promise<Response> {
  const now = Date.now();
  const { user } = caller;
  const workspaces = await listWorkspaces(env.DB, user.id);
  if (workspace !== all && !workspaces.some(({ id }) => id === workspace))
    return await renderQuestion(env, asked, caller);
  const { clientName, clientHash, redirectUri, challenge, scopes } = asked;
  const workspaceId = workspace === all ? null : workspace;
  const allowed = { userId: user.id, workspaceId, clientHash, clientName, redirectUri, challenge, scopes };
  const { code, keyId } = await issueCode(env.DB, allowed, now);
  await recordCall(env, request, {
    ...{ operation: "connectAgent", at: now, caller, workspaceId: null },
    target: {
      id: keyId,
      client: clientName,
      redirectHost: getRedirectTarget(redirectUri).name,
      scopes: scopes.join(" "),
    },
  });
  return leadBack(env, asked, { code });
}

/** Sends the browser back to the client (OAuth 2.1, section 4.1.2; RFC 9207). */
function leadBack(env: Env, { redirectUri, state }: Asked, fields: Record<string, string>): Response {
  const url = new URL(redirectUri);
  const all = { ...fields, ...(state !== null && { state }), iss: getIssuer(env.PUBLIC_URL) };
  for (const [name, value] of Object.entries(all)) url.searchParams.append(name, value);
  return new Response(null, { status: 303, headers: { location: url.href, "referrer-policy": "no-referrer" } });
}

/** The request that the query describes, or the page that says what is wrong with it. */
async function readAsked(request: Request, env: Env): Promise<Asked | Response> {
  const { search, searchParams } = new URL(request.url);
  const clientId = searchParams.get("client_id");
  const client = await findClient(env, clientId);
  if (client === null || clientId === null)
    return renderProblem(
      "This service did not register the client. Remove the connection in the client, and add it again.",
    );
  const parsed = parseAuthorization(searchParams, { client, resource: getResource(env.PUBLIC_URL) });
  if (typeof parsed === "string") return renderProblem(parsed);
  return { ...parsed, clientName: client.name, clientHash: await getClientHash(clientId), search };
}

function renderProblem(text: string): Response {
  return renderApproval({ tone: "ended", heading: "This request cannot be answered", text }, [], { status: 400 });
}

function renderSignIn({ clientName, search }: Asked): Response {
  const text = `A program that calls itself ${clientName} asks to work for you. Sign in to see what it asks for.`;
  return renderApproval({ tone: "resting", heading: "Connect an agent", text }, [
    <SignInLink returnTo={oauthPaths.authorize + search} />,
  ]);
}

async function renderQuestion(env: Env, asked: Asked, { keyId, user }: BrowserCaller): Promise<Response> {
  const proof: Proof = { keyId, searchHash: await getKeyHash(asked.search) };
  const [signed, workspaces] = await Promise.all([
    sign(env, "oauth-consent", proof, Date.now() + consentMs),
    listWorkspaces(env.DB, user.id),
  ]);
  const target = getRedirectTarget(asked.redirectUri);
  const text = `A program that calls itself ${asked.clientName} asks to work for you. You are signed in as ${user.name}, ${user.email}.`;
  return renderApproval(
    { tone: "resting", heading: "Connect this agent?", text },
    [
      <dl>
        <Fact term="Program">{asked.clientName}</Fact>
        <Fact term="Leads back to">{target.name}</Fact>
        <Fact term="It may">{asked.scopes.map((scope) => words[scope]).join(" ")}</Fact>
      </dl>,
      target.isLocal ? (
        <p class="hint">Continue only if you connect the program yourself, now.</p>
      ) : (
        <Warning>
          What you allow goes to {target.name}, which is not on your machine. Continue only if you know this address.
        </Warning>
      ),
      <form method="post" action={oauthPaths.authorize + asked.search}>
        <input type="hidden" name="proof" value={signed} />
        <WorkspaceField workspaces={workspaces} />
        <div class="choice">
          <button type="submit" name="decision" value="allow">
            Allow
          </button>
          <button type="submit" name="decision" value="deny" class="quiet" formnovalidate>
            Deny
          </button>
        </div>
      </form>,
    ],
    { leadsTo: target.policySource },
  );
}

function WorkspaceField({ workspaces }: { workspaces: Workspace[] }) {
  return (
    <label>
      In{" "}
      <select name="workspace" required>
        {workspaces.length > 1 && <option value="">Choose a workspace</option>}
        {workspaces.map(({ id, name }) => (
          <option value={id}>{name}</option>
        ))}
        <option value={all}>All your workspaces</option>
      </select>
    </label>
  );
}
