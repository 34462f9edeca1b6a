// The routes of the user's account at the code host: signing in with it, connecting it while signed
// in, and disconnecting it.
import * as z from "zod";
import { recordAuditEvent } from "../../audit/record.ts";
import { endpoint, type SignInCall, signInEndpoint } from "../../http/endpoint.ts";
import { findCallerAddress } from "../../http/rate-limit.ts";
import { noContent, ok, type RouteResult, redirect, unchanged } from "../../http/response.ts";
import { revokeKey } from "../../key/create-and-revoke.ts";
import { createSessionCookie, endingCookie } from "../../key/credential.ts";
import { issueBrowserSession } from "../../key/queries/browser-sessions.ts";
import { browserSessionMs } from "../../rules/limits.ts";
import { isRefusal, type Refusal, refuse } from "../../rules/refusal.ts";
import { callbackPath, createAuthorizeUrl, exchangeCode, readHostUser, signInClient } from "../code-host-sign-in.ts";
import { connectCodeHost, disconnectCodeHost } from "../connect-code-host.ts";
import { findIdentity } from "../queries.ts";
import { endingSignInCookie, findSignIn, startSignIn } from "../sign-in-cookie.ts";
import { codeHostAccountSchema } from "../wire.ts";

const tag = "Account";
const access = "code-host.connect";

const connect = signInEndpoint({
  method: "GET",
  path: "/api/auth/github/connect",
  operation: "connectCodeHost",
  summary: "Sign in with the code host, or connect your account. Redirects the browser there.",
  tag,
  access,
  query: z.strictObject({
    returnTo: z.string().optional().describe("The path to which the browser returns in the end."),
  }),
  response: { status: 302 },
  refusals: ["BAD_REQUEST", "SERVICE_UNAVAILABLE"],
  async handle({ env, now, query, user }) {
    const client = signInClient(env);
    if (isRefusal(client)) return client;
    const returnTo = ownPath(query.returnTo ?? "/account", env.PUBLIC_URL);
    if (returnTo === null) return refuse("BAD_REQUEST", "returnTo has to be a path of this service.");
    const signIn = await startSignIn(env.SEALING_KEYS, { userId: user?.id ?? null, returnTo }, now);
    return redirect(await createAuthorizeUrl(client, signIn.state, signIn.verifier), [signIn.cookie]);
  },
});

const backQuery = z.object({
  code: z.string().optional().describe("The code host's code."),
  state: z.string().optional().describe("The state that the sign-in started with."),
  error: z.string().optional().describe("Why the code host signed nobody in."),
});

const callback = signInEndpoint({
  method: "GET",
  path: callbackPath,
  operation: "completeCodeHostConnection",
  summary: "Finish the code host's sign-in.",
  tag,
  access,
  query: z.looseObject(backQuery.shape),
  response: { status: 302 },
  refusals: ["BAD_REQUEST", "FORBIDDEN", "CONFLICT", "SERVICE_UNAVAILABLE"],
  handle: finish,
});

const startAgain = "Start again at /api/auth/github/connect.";

async function finish(call: SignInCall<z.infer<typeof backQuery>>): Promise<RouteResult | Refusal> {
  const { env, now, request, query, user } = call;
  const client = signInClient(env);
  if (isRefusal(client)) return client;
  const signIn = await findSignIn(env.SEALING_KEYS, request, now);
  if (!signIn || query.state !== signIn.state) {
    return refuse("BAD_REQUEST", `This browser has no such sign-in in progress. ${startAgain}`);
  }
  if (signIn.userId !== (user?.id ?? null)) {
    return refuse("BAD_REQUEST", `Somebody else has signed in or out in this browser meanwhile. ${startAgain}`);
  }
  if (query.error === "access_denied") {
    return refuse("BAD_REQUEST", `You did not let the code host share who you are. ${startAgain}`);
  }
  if (!query.code) return refuse("BAD_REQUEST", `The code host did not sign you in. ${startAgain}`);
  const tokens = await exchangeCode(client, query.code, signIn.verifier);
  if (isRefusal(tokens)) return tokens;
  const hostUser = await readHostUser(client, tokens.accessToken);
  if (isRefusal(hostUser)) return hostUser;
  const userId = await connectCodeHost(env, { hostUser, tokens, signedInAs: signIn.userId }, now);
  if (isRefusal(userId)) return userId;
  await recordAuditEvent(
    env,
    { userId },
    {
      ...{ at: now, operation: user ? "connectCodeHost" : "signIn", keyId: null, target: { account: hostUser.login } },
      ...{ actor: { kind: "member", userId, name: user?.name ?? hostUser.name }, via: "browser" },
      address: findCallerAddress(request),
    },
  );
  const token = user ? null : await issueBrowserSession(env.DB, userId, now);
  const cookies = token === null ? [] : [createSessionCookie(token, browserSessionMs)];
  return redirect(new URL(signIn.returnTo, env.PUBLIC_URL).href, [endingSignInCookie, ...cookies]);
}

const disconnect = endpoint({
  method: "POST",
  path: "/api/auth/github/disconnect",
  operation: "disconnectCodeHost",
  summary: "Disconnect your account at the code host.",
  tag,
  access,
  noun: "none",
  response: { status: 204 },
  async handle({ env, caller }) {
    const isChanged = caller.user !== null && (await disconnectCodeHost(env, caller.user.id));
    return isChanged ? noContent : unchanged(noContent);
  },
});

const readAccount = endpoint({
  method: "GET",
  path: "/api/user/code-host",
  operation: "readCodeHostAccount",
  summary: "Read your account at the code host.",
  tag,
  access,
  noun: "none",
  response: { status: 200, data: codeHostAccountSchema },
  async handle({ env, caller }) {
    if (!caller.user) return refuse("FORBIDDEN");
    const identity = await findIdentity(env.DB, caller.user.id);
    return ok({ login: identity?.login ?? null, accountId: identity?.hostUserId ?? null });
  },
});

/**
 * Returns `wanted` as a path of this service; null if a browser would follow it to another origin.
 */
function ownPath(wanted: string, publicUrl: string): string | null {
  if (!wanted.startsWith("/") || !URL.canParse(wanted, publicUrl)) return null;
  const { origin, pathname, search, hash } = new URL(wanted, publicUrl);
  // A path that starts with `//` would name a host when it is resolved again.
  if (origin !== new URL(publicUrl).origin || pathname.startsWith("//")) return null;
  return pathname + search + hash;
}

export const codeHostAccountRoutes = [connect, callback, disconnect, readAccount];

/** Sign-out: revokes the browser session of the request. */
const signOut = endpoint({
  method: "POST",
  path: "/api/auth/sign-out",
  operation: "signOut",
  summary: "Sign out of this browser.",
  tag: "Account",
  access: "sign-out",
  noun: "none",
  response: { status: 204 },
  async handle({ env, caller }) {
    if (caller.user) await revokeKey(env, { kind: "browser", userId: caller.user.id, keyId: caller.keyId });
    return { status: 204, headers: { "set-cookie": endingCookie } };
  },
});

export const signOutRoutes = [signOut];
