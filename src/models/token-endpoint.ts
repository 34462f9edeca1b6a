// A provider's token endpoint: where a login's refresh token is handed in for a new pair of tokens.
import type { Env } from "../env.ts";
import type { ProviderId } from "../rules/model/provider.ts";
import type { LoginTokens } from "./logins.ts";

/** What the operator is registered as at a provider. */
export interface LoginClient {
  tokenUrl: string;
  clientId: string;
}

export interface NewTokens extends LoginTokens {
  expiresAt: number | null;
}

export type TokenAnswer =
  | { outcome: "tokens"; tokens: NewTokens }
  /** The provider takes the login no more. */
  | { outcome: "refused" }
  /** The provider does not accept the operator's client, or what it asks for. */
  | { outcome: "client-refused" }
  /** Something else than the login stands in the way. */
  | { outcome: "unavailable" };

const pausesBeforeRetriesMs = [200, 800];

/** The operator's client at a provider; null when the setting names none. */
export function loginClient(env: Pick<Env, "MODEL_LOGIN_CLIENTS">, provider: ProviderId): LoginClient | null {
  const clients = JSON.parse(env.MODEL_LOGIN_CLIENTS || "{}") as Partial<Record<ProviderId, LoginClient>>;
  return clients[provider] ?? null;
}

/** Asks for new tokens, again when the endpoint is in trouble that may pass; `answerWaitMs` is how long one try may take. */
export async function refreshTokens(
  client: LoginClient,
  refreshToken: string,
  answerWaitMs = 10_000,
): Promise<TokenAnswer> {
  for (const pauseMs of pausesBeforeRetriesMs) {
    const answer = await askForTokens(client, refreshToken, answerWaitMs);
    if (answer !== "trouble") return answer;
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
  const answer = await askForTokens(client, refreshToken, answerWaitMs);
  return answer === "trouble" ? { outcome: "unavailable" } : answer;
}

async function askForTokens(
  client: LoginClient,
  refreshToken: string,
  answerWaitMs: number,
): Promise<TokenAnswer | "trouble"> {
  const patience = new AbortController();
  const timer = setTimeout(() => patience.abort(), answerWaitMs);
  try {
    const response = await fetch(client.tokenUrl, {
      method: "POST",
      headers: { accept: "application/json", "content-type": "application/x-www-form-urlencoded" },
      body: new URLSearchParams({
        grant_type: "refresh_token",
        refresh_token: refreshToken,
        client_id: client.clientId,
      }).toString(),
      // A redirect would carry the token to wherever it points.
      redirect: "manual",
      signal: patience.signal,
    });
    if (response.ok) return { outcome: "tokens", tokens: tokensIn(await response.json(), refreshToken) };
    return refusalIn(response.status, await response.text());
  } catch {
    return "trouble";
  } finally {
    // A timer that runs on would keep the object in memory.
    clearTimeout(timer);
  }
}

/** Throws when there is no access token in the answer. */
function tokensIn(answer: unknown, oldRefreshToken: string): NewTokens {
  const { access_token, refresh_token, expires_in } = answer as Record<string, unknown>;
  if (typeof access_token !== "string" || access_token === "") throw new Error("the answer holds no access token");
  return {
    accessToken: access_token,
    // A provider that does not rotate leaves it out.
    refreshToken: typeof refresh_token === "string" ? refresh_token : oldRefreshToken,
    expiresAt: typeof expires_in === "number" ? Date.now() + expires_in * 1000 : null,
  };
}

const refusingStatuses = [400, 401, 403];

/** Errors that speak of the client or the request: connecting the login again would not help. */
const notOfTheLogin = /"(invalid_client|unauthorized_client|unsupported_grant_type|invalid_request|invalid_scope)"/;

function refusalIn(status: number, text: string): TokenAnswer | "trouble" {
  if (status === 408 || status === 429 || status >= 500) return "trouble";
  // A page comes from something in between, and says nothing of the login.
  if (!refusingStatuses.includes(status) || !isJsonObject(text)) return { outcome: "unavailable" };
  return { outcome: notOfTheLogin.test(text) ? "client-refused" : "refused" };
}

function isJsonObject(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null;
  } catch {
    return false;
  }
}
