// Sign-in at GitHub: people are sent there to agree, and what comes back with them is exchanged for tokens of theirs, which tell who they are.
import { toBase64Url } from "../base64url.ts";
import type { Env } from "../env.ts";
import { isRefusal, type Refusal, refuse } from "../rules/refusal.ts";
import { noAccess, openGithub } from "./github/call.ts";

/** What the service is registered as for signing in. */
export interface SignInClient {
  /** Where people see the code host. */
  webUrl: string;
  apiUrl: string;
  clientId: string;
  clientSecret: string;
  /** Where people are sent back to. */
  callbackUrl: string;
}

export interface PersonTokens {
  accessToken: string;
  /** Null where the access token does not expire. */
  refreshToken: string | null;
  expiresAt: number | null;
}

/** Somebody as the code host knows them. */
export interface HostPerson {
  id: string;
  login: string;
  name: string;
  imageUrl: string | null;
  /** Verified by the code host; null where it tells none. */
  email: string | null;
  /** The address that stands in commits and takes no mail. */
  commitEmail: string;
}

export const callbackPath = "/api/auth/github/callback";
const answerWaitMs = 10_000;

const noAnswer = refuse("SERVICE_UNAVAILABLE", "The code host does not answer. Try again shortly.");

/** The client that the settings name; a refusal names the setting that is missing. */
export function signInClient(env: Env): SignInClient | Refusal {
  const { CODE_HOST_CLIENT_ID: clientId, CODE_HOST_CLIENT_SECRET: clientSecret } = env;
  if (!clientId || !clientSecret) {
    const missing = clientId ? "CODE_HOST_CLIENT_SECRET" : "CODE_HOST_CLIENT_ID";
    return refuse("SERVICE_UNAVAILABLE", `Nobody can sign in with the code host: the setting ${missing} is missing.`);
  }
  const callbackUrl = new URL(callbackPath, env.PUBLIC_URL).href;
  return { webUrl: env.CODE_HOST_GIT_URL, apiUrl: env.CODE_HOST_API_URL, clientId, clientSecret, callbackUrl };
}

/** Where somebody goes to agree. `verifier` is a secret that the exchange shows; its hash alone goes with them. */
export async function agreementUrl(client: SignInClient, state: string, verifier: string): Promise<string> {
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

/** Exchanges what somebody came back with. BAD_REQUEST for a code that was used, has expired or is another's. */
export function exchangeCode(client: SignInClient, code: string, verifier: string): Promise<PersonTokens | Refusal> {
  return askForTokens(client, { code, code_verifier: verifier, redirect_uri: client.callbackUrl });
}

/** New tokens for those that expire. BAD_REQUEST where the code host takes the old ones no more. */
export function refreshPersonTokens(client: SignInClient, refreshToken: string): Promise<PersonTokens | Refusal> {
  return askForTokens(client, { grant_type: "refresh_token", refresh_token: refreshToken });
}

/** GitHub tells in a good answer, too, that it gives none. */
async function askForTokens(client: SignInClient, wanted: Record<string, string>): Promise<PersonTokens | Refusal> {
  const body = new URLSearchParams({ client_id: client.clientId, client_secret: client.clientSecret, ...wanted });
  const answer = await fetch(`${client.webUrl}/login/oauth/access_token`, {
    method: "POST",
    headers: { accept: "application/json", "user-agent": "switchyard" },
    body,
    redirect: "manual",
    signal: AbortSignal.timeout(answerWaitMs),
  }).catch(() => null);
  const told = await answer?.json<Record<string, unknown>>().catch(() => null);
  if (!answer || !told || answer.status >= 500) return noAnswer;
  const { access_token: accessToken, refresh_token: refreshToken, expires_in: seconds, error } = told;
  if (error === "incorrect_client_credentials") {
    return refuse("SERVICE_UNAVAILABLE", "The code host does not take the service's CODE_HOST_CLIENT_SECRET.");
  }
  if (typeof accessToken !== "string") {
    return refuse("BAD_REQUEST", "The code host does not take this sign-in any more. Start again.");
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

/** Reads whose tokens these are. */
export async function readPerson(client: SignInClient, accessToken: string): Promise<HostPerson | Refusal> {
  const credential = async (refused?: string) => (refused === undefined ? accessToken : noAccess);
  const call = openGithub({ apiUrl: client.apiUrl, credential });
  const signal = AbortSignal.timeout(answerWaitMs);
  const user = await call<UserAnswer>({ method: "GET", path: "/user" }, signal);
  if (isRefusal(user)) return user;
  const emails = await call<EmailAnswer>({ method: "GET", path: "/user/emails" }, signal);
  // An app that may not read them is not told. Whatever else keeps them from being read may be over soon: without an address, somebody who
  // is known by theirs would become another user.
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

/** Takes the service's leave of somebody: none of their tokens works any more. False when the code host did not do it. */
export async function revokePerson(client: SignInClient, accessToken: string): Promise<boolean> {
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
