// A provider's OAuth token endpoint, which exchanges a login's refresh token for new tokens.
import type { Env } from "../../env.ts";
import type { ProviderId } from "../../rules/model/provider.ts";
import type { LoginTokens } from "../logins.ts";

/** The operator's OAuth client at a provider. */
export interface LoginClient {
  tokenUrl: string;
  clientId: string;
}

export interface NewTokens extends LoginTokens {
  /** Milliseconds since the epoch; null if the provider did not send it. */
  expiresAt: number | null;
}

export type TokenResult =
  | { type: "tokens"; tokens: NewTokens }
  /** The provider does not accept the refresh token: the login has to be connected again. */
  | { type: "refused" }
  /** The provider does not accept the operator's client or its request. */
  | { type: "client-refused" }
  /** The endpoint failed for a reason that says nothing about the login. */
  | { type: "unavailable" };

const pausesBeforeRetriesMs = [200, 800];

/** The operator's client at a provider, from MODEL_LOGIN_CLIENTS; null if it names none. */
export function loginClient(env: Pick<Env, "MODEL_LOGIN_CLIENTS">, provider: ProviderId): LoginClient | null {
  const clients = JSON.parse(env.MODEL_LOGIN_CLIENTS || "{}") as Partial<Record<ProviderId, LoginClient>>;
  return clients[provider] ?? null;
}

/** Requests new tokens. Retries twice if the endpoint fails temporarily; `answerWaitMs` is the timeout of one attempt. */
export async function refreshTokens(
  client: LoginClient,
  refreshToken: string,
  answerWaitMs = 10_000,
): Promise<TokenResult> {
  for (const pauseMs of pausesBeforeRetriesMs) {
    const answer = await requestTokens(client, refreshToken, answerWaitMs);
    if (answer !== "retry") return answer;
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
  const answer = await requestTokens(client, refreshToken, answerWaitMs);
  return answer === "retry" ? { type: "unavailable" } : answer;
}

async function requestTokens(
  client: LoginClient,
  refreshToken: string,
  answerWaitMs: number,
): Promise<TokenResult | "retry"> {
  const timeout = new AbortController();
  const timer = setTimeout(() => timeout.abort(), answerWaitMs);
  try {
    const response = await fetch(client.tokenUrl, {
      method: "POST",
      headers: { accept: "application/json", "content-type": "application/x-www-form-urlencoded" },
      body: new URLSearchParams({
        grant_type: "refresh_token",
        refresh_token: refreshToken,
        client_id: client.clientId,
      }).toString(),
      // Following a redirect would send the token to another host.
      redirect: "manual",
      signal: timeout.signal,
    });
    if (response.ok) return { type: "tokens", tokens: tokensIn(await response.json(), refreshToken) };
    return refusalIn(response.status, await response.text());
  } catch {
    return "retry";
  } finally {
    // A pending timer would keep the Durable Object in memory.
    clearTimeout(timer);
  }
}

/** Throws if the answer holds no access token. */
function tokensIn(answer: unknown, oldRefreshToken: string): NewTokens {
  const { access_token, refresh_token, expires_in } = answer as Record<string, unknown>;
  if (typeof access_token !== "string" || access_token === "") throw new Error("the answer holds no access token");
  return {
    accessToken: access_token,
    // A provider that does not rotate refresh tokens leaves it out.
    refreshToken: typeof refresh_token === "string" ? refresh_token : oldRefreshToken,
    expiresAt: typeof expires_in === "number" ? Date.now() + expires_in * 1000 : null,
  };
}

const refusingStatuses = [400, 401, 403];

/** Errors of the client or the request: connecting the login again would not help. */
const clientErrors = /"(invalid_client|unauthorized_client|unsupported_grant_type|invalid_request|invalid_scope)"/;

function refusalIn(status: number, text: string): TokenResult | "retry" {
  if (status === 408 || status === 429 || status >= 500) return "retry";
  // Anything but JSON comes from a proxy in between, and says nothing about the login.
  if (!refusingStatuses.includes(status) || !isJsonObject(text)) return { type: "unavailable" };
  return { type: clientErrors.test(text) ? "client-refused" : "refused" };
}

function isJsonObject(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null;
  } catch {
    return false;
  }
}
