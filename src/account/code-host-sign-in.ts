// Sign-in with GitHub (OAuth with PKCE): the authorize URL, the exchange of a code for tokens, and
// the user of the tokens.

import { type CallGithub, createGithubCall, noAccess, noAnswer } from "../code-host/github/call.ts";
import type { Env } from "../env.ts";
import { toBase64Url } from "../lib/base64url.ts";
import { readResponseJson } from "../lib/response-body.ts";
import { serviceResponseBytes } from "../rules/limits.ts";
import { isRefusal, type Refusal, refuse } from "../rules/refusal.ts";

/** The service's OAuth client at the code host. */
export interface SignInClient {
  /** The URL of the code host's website. */
  webUrl: string;
  apiUrl: string;
  clientId: string;
  clientSecret: string;
  callbackUrl: string;
}

export interface UserTokens {
  accessToken: string;
  /** Null if the access token does not expire. */
  refreshToken: string | null;
  /** Milliseconds since the epoch; null if the access token does not expire. */
  expiresAt: number | null;
}

/** A user of the code host. */
export interface HostUser {
  id: string;
  login: string;
  name: string;
  imageUrl: string | null;
  /** The primary address, verified by the code host; null if the service may not read it. */
  email: string | null;
  /** The no-reply address that is used in commits. */
  commitEmail: string;
}

export const callbackPath = "/api/auth/github/callback";
const answerWaitMs = 10_000;

type SignInSettings = Pick<
  Env,
  "CODE_HOST_GIT_URL" | "CODE_HOST_API_URL" | "CODE_HOST_CLIENT_ID" | "CODE_HOST_CLIENT_SECRET" | "PUBLIC_URL"
>;

/** Returns the OAuth client of the settings. A refusal names the missing setting. */
export function signInClient(env: SignInSettings): SignInClient | Refusal {
  const { CODE_HOST_CLIENT_ID: clientId, CODE_HOST_CLIENT_SECRET: clientSecret } = env;
  if (!clientId || !clientSecret) {
    const missing = clientId ? "CODE_HOST_CLIENT_SECRET" : "CODE_HOST_CLIENT_ID";
    return refuse("SERVICE_UNAVAILABLE", `Nobody can sign in with the code host: the setting ${missing} is missing.`);
  }
  const callbackUrl = new URL(callbackPath, env.PUBLIC_URL).href;
  return { webUrl: env.CODE_HOST_GIT_URL, apiUrl: env.CODE_HOST_API_URL, clientId, clientSecret, callbackUrl };
}

/**
 * The URL where a user authorizes the service. It contains only the hash of `verifier`; the
 * exchange sends `verifier` itself (PKCE).
 */
export async function createAuthorizeUrl(client: SignInClient, state: string, verifier: string): Promise<string> {
  const hash = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(verifier));
  const query = new URLSearchParams({
    client_id: client.clientId,
    redirect_uri: client.callbackUrl,
    scope: "user:email",
    state,
    code_challenge: toBase64Url(new Uint8Array(hash)),
    code_challenge_method: "S256",
  });
  return `${client.webUrl}/login/oauth/authorize?${query}`;
}

/**
 * Exchanges the code of a callback for tokens. BAD_REQUEST for a code that was used, has expired or
 * was issued to somebody else.
 */
export function exchangeCode(client: SignInClient, code: string, verifier: string): Promise<UserTokens | Refusal> {
  return requestTokens(client, { code, code_verifier: verifier, redirect_uri: client.callbackUrl });
}

/** Exchanges a refresh token for new tokens. BAD_REQUEST if the code host no longer accepts it. */
export function refreshUserTokens(client: SignInClient, refreshToken: string): Promise<UserTokens | Refusal> {
  return requestTokens(client, { grant_type: "refresh_token", refresh_token: refreshToken });
}

/** GitHub returns 200 with an `error` field if it issues no tokens. */
async function requestTokens(client: SignInClient, grant: Record<string, string>): Promise<UserTokens | Refusal> {
  const body = new URLSearchParams({ client_id: client.clientId, client_secret: client.clientSecret, ...grant });
  const answer = await fetch(`${client.webUrl}/login/oauth/access_token`, {
    method: "POST",
    headers: { accept: "application/json", "user-agent": "switchyard" },
    body,
    redirect: "manual",
    signal: AbortSignal.timeout(answerWaitMs),
  }).catch(() => null);
  if (!answer) return noAnswer;
  const fields = await readResponseJson<Record<string, unknown>>(answer, serviceResponseBytes).catch(() => null);
  if (!fields || answer.status >= 500) return noAnswer;
  const { access_token: accessToken, refresh_token: refreshToken, expires_in: seconds, error } = fields;
  if (error === "incorrect_client_credentials") {
    return refuse("SERVICE_UNAVAILABLE", "The code host does not accept the service's CODE_HOST_CLIENT_SECRET.");
  }
  if (typeof accessToken !== "string") {
    return refuse("BAD_REQUEST", "The code host no longer accepts this sign-in. Start again.");
  }
  return {
    accessToken,
    refreshToken: typeof refreshToken === "string" ? refreshToken : null,
    expiresAt: typeof seconds === "number" ? Date.now() + seconds * 1_000 : null,
  };
}

interface UserAnswer {
  id: number;
  login: string;
  name: string | null;
  avatar_url?: string;
}

type EmailAnswer = { email: string; primary: boolean; verified: boolean }[];

function createCallAs({ apiUrl }: SignInClient, accessToken: string): CallGithub {
  return createGithubCall({ apiUrl, credential: async (refused) => (refused === undefined ? accessToken : noAccess) });
}

/** Reads the user that an access token belongs to. */
export async function readHostUser(client: SignInClient, accessToken: string): Promise<HostUser | Refusal> {
  const call = createCallAs(client, accessToken);
  const signal = AbortSignal.timeout(answerWaitMs);
  const user = await call<UserAnswer>({ method: "GET", path: "/user" }, signal);
  if (isRefusal(user)) return user;
  const emails = await call<EmailAnswer>({ method: "GET", path: "/user/emails" }, signal);
  // An app without the permission to read addresses continues without one. Any other failure is
  // returned: without the address, a user who is known by it would be created a second time.
  if (isRefusal(emails) && emails !== noAccess && emails.code !== "NOT_FOUND") return emails;
  const known = isRefusal(emails) ? [] : emails;
  const { host } = new URL(client.webUrl);
  return {
    id: String(user.id),
    login: user.login,
    name: user.name || user.login,
    imageUrl: user.avatar_url ?? null,
    email: known.find(({ primary, verified }) => primary && verified)?.email.toLowerCase() ?? null,
    commitEmail: `${user.id}+${user.login}@users.noreply.${host}`,
  };
}

/**
 * The organisations that the user of an access token is a member of, as far as the code host shows
 * them to the service.
 */
export async function readOrganizations(client: SignInClient, accessToken: string): Promise<string[] | Refusal> {
  const listed = await createCallAs(client, accessToken)<{ login: string }[]>(
    { method: "GET", path: "/user/orgs?per_page=100" },
    AbortSignal.timeout(answerWaitMs),
  );
  if (isRefusal(listed)) return listed === noAccess || listed.code === "NOT_FOUND" ? [] : listed;
  return listed.map(({ login }) => login);
}

/**
 * Revokes the user's grant, and with it all of their tokens. False if the code host did not confirm
 * it.
 */
export async function revokeGrant(client: SignInClient, accessToken: string): Promise<boolean> {
  const answer = await fetch(`${client.apiUrl}/applications/${client.clientId}/grant`, {
    method: "DELETE",
    headers: {
      accept: "application/vnd.github+json",
      authorization: `Basic ${btoa(`${client.clientId}:${client.clientSecret}`)}`,
      "user-agent": "switchyard",
      "x-github-api-version": "2022-11-28",
    },
    body: JSON.stringify({ access_token: accessToken }),
    signal: AbortSignal.timeout(answerWaitMs),
  }).catch(() => null);
  await answer?.body?.cancel();
  return answer?.ok ?? false;
}
