// The operator's OAuth client at each model provider, from the setting MODEL_LOGIN_CLIENTS, and how
// its requests are made.
import * as oauth from "oauth4webapi";
import type { Env } from "../../env.ts";
import { log } from "../../lib/log.ts";
import { readResponseJson } from "../../lib/response-body.ts";
import { withDeadline } from "../../lib/timeout.ts";
import { providers } from "../../model/providers.ts";
import type { ProviderId } from "../../model/rules/provider.ts";
import { isLoopback } from "../../one-machine.ts";
import { serviceResponseBytes } from "../../rules/limits.ts";
import { type Refusal, refuse } from "../../rules/refusal.ts";

const addresses = ["tokenUrl", "authorizeUrl", "deviceUrl", "userInfoUrl", "revokeUrl", "usageUrl"] as const;
const others = ["redirectUrl", "baseUrl"] as const;

type Address = (typeof addresses)[number] | (typeof others)[number];

/** A client at a provider. Every URL is https, or on this machine. */
export interface LoginClient extends Partial<Record<Address, string>> {
  clientId: string;
  /** Absent for a public client. */
  clientSecret?: string;
  tokenUrl: string;
  scopes?: string[];
  /** Added to model calls that use a login. */
  headers?: Record<string, string>;
}

/**
 * What each kind of sign-in needs. `userInfoUrl` returns OpenID Connect's `sub` and `email`, which
 * distinguish accounts.
 */
const neededBy = {
  browser: ["clientId", "authorizeUrl", "tokenUrl", "redirectUrl", "userInfoUrl"],
  device: ["clientId", "deviceUrl", "tokenUrl", "userInfoUrl"],
} as const;

export type SignInKind = keyof typeof neededBy;
export type SignInClient<Kind extends SignInKind> = LoginClient & Record<(typeof neededBy)[Kind][number], string>;

type Setting = Pick<Env, "MODEL_LOGIN_CLIENTS">;

/** The client of a provider; null if the setting has none that can refresh logins. */
export function findLoginClient(env: Setting, provider: ProviderId): LoginClient | null {
  const set = setAt(env, provider);
  if (!set?.clientId || !set.tokenUrl || wrongAddress(set) !== null) return null;
  return set as LoginClient;
}

/**
 * The client of a provider that people can sign in with. SERVICE_UNAVAILABLE names what the setting
 * lacks.
 */
export function signInClient<Kind extends SignInKind>(
  env: Setting,
  provider: ProviderId,
  kind: Kind,
): SignInClient<Kind> | Refusal {
  const unavailable = (what: string) =>
    refuse("SERVICE_UNAVAILABLE", `Nobody can sign in to ${providers[provider].name}: ${what}`);
  const set = setAt(env, provider);
  if (!set) return unavailable(`the setting MODEL_LOGIN_CLIENTS lacks "${provider}".`);
  const missing = neededBy[kind].find((name) => !set[name]);
  if (missing) return unavailable(`the setting MODEL_LOGIN_CLIENTS lacks "${missing}" of "${provider}".`);
  const wrong = wrongAddress(set);
  if (wrong) return unavailable(`"${wrong}" of "${provider}" in the setting MODEL_LOGIN_CLIENTS has to be https.`);
  return set as SignInClient<Kind>;
}

function setAt(env: Setting, provider: ProviderId): Partial<LoginClient> | undefined {
  return (JSON.parse(env.MODEL_LOGIN_CLIENTS || "{}") as Partial<Record<ProviderId, Partial<LoginClient>>>)[provider];
}

/** Returns a URL that would expose secrets in transit; null if there is none. */
function wrongAddress(set: Partial<LoginClient>): Address | null {
  const isSafe = (url: string) => URL.canParse(url) && (new URL(url).protocol === "https:" || isLoopback(url));
  return [...addresses, ...others].find((name) => set[name] !== undefined && !isSafe(set[name])) ?? null;
}

/** The parts of every request of the OAuth library. */
export function getRequestParts(client: LoginClient, signal: AbortSignal) {
  const server: oauth.AuthorizationServer = {
    issuer: new URL(client.tokenUrl).origin,
    token_endpoint: client.tokenUrl,
    ...(client.deviceUrl && { device_authorization_endpoint: client.deviceUrl }),
    ...(client.revokeUrl && { revocation_endpoint: client.revokeUrl }),
  };
  return {
    server,
    client: { client_id: client.clientId },
    authentication: client.clientSecret ? oauth.ClientSecretPost(client.clientSecret) : oauth.None(),
    // The URLs were checked: those without TLS are on loopback.
    options: { signal, [oauth.allowInsecureRequests]: true },
  };
}

/** The account at a provider that an access token belongs to. */
export interface Account {
  /** Stays the same for an account when its email address changes. */
  id: string;
  email: string | null;
}

const waitMs = 10_000;

/** Reads the account; null if the provider does not report it. */
export async function readAccount(
  { userInfoUrl }: LoginClient & { userInfoUrl: string },
  accessToken: string,
): Promise<Account | null> {
  try {
    return await withDeadline(waitMs, async (signal) => {
      const response = await fetch(userInfoUrl, {
        headers: { accept: "application/json", authorization: `Bearer ${accessToken}` },
        // Following a redirect would send the token to another host.
        redirect: "manual",
        signal,
      });
      if (!response.ok) {
        await response.body?.cancel();
        throw new Error(`the answer is ${response.status}`);
      }
      const { sub, email } = await readResponseJson<Record<string, unknown>>(response, serviceResponseBytes);
      if (typeof sub !== "string" || sub === "") throw new Error("the answer names no account");
      return { id: sub, email: typeof email === "string" && email !== "" ? email : null };
    });
  } catch (error) {
    log.warn("provider_login.account_unknown", { error });
    return null;
  }
}
