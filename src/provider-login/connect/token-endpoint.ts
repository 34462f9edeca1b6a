// A provider's OAuth token endpoint, which exchanges a grant, such as a login's refresh token, for
// new tokens.

import * as oauth from "oauth4webapi";
import { readErrorText, readResponseJson } from "../../lib/response-body.ts";
import { wait, withDeadline } from "../../lib/timeout.ts";
import { listBackoffMs } from "../../rules/backoff.ts";
import { serviceResponseBytes } from "../../rules/limits.ts";
import type { LoginTokens } from "../credentials.ts";
import { getRequestParts, type LoginClient } from "./oauth-client.ts";

export interface NewTokens extends LoginTokens {
  /** Milliseconds since the epoch; null if the provider did not send it. */
  expiresAt: number | null;
}

export type TokenResult =
  | { type: "tokens"; tokens: NewTokens }
  /**
   * The provider does not accept the grant, so the login must be connected again. `error` is
   * OAuth's error code, empty if there is none.
   */
  | { type: "refused"; error: string }
  /** The provider does not accept the operator's client or its request. */
  | { type: "client-refused" }
  /** The endpoint failed for a reason that is unrelated to the grant. */
  | { type: "unavailable" };

/** A grant type with its parameters. */
export type Grant = { type: string } & Record<string, string>;

const pausesBeforeRetriesMs = listBackoffMs(2, { firstMs: 300, longestMs: 1_000 });
const usualWaitMs = 10_000;

/**
 * Requests new tokens. Retries twice if the endpoint fails temporarily. `answerWaitMs` is the
 * timeout of one attempt.
 */
export async function refreshTokens(
  client: LoginClient,
  refreshToken: string,
  answerWaitMs = usualWaitMs,
): Promise<TokenResult> {
  const grant: Grant = { type: "refresh_token", refresh_token: refreshToken };
  for (const pauseMs of pausesBeforeRetriesMs) {
    const answer = await tryTokens(client, grant, answerWaitMs);
    if (answer !== "retry") return answer;
    await wait(pauseMs);
  }
  return await requestTokens(client, grant, answerWaitMs);
}

/** Requests tokens for a grant, once. */
export async function requestTokens(
  client: LoginClient,
  grant: Grant,
  answerWaitMs = usualWaitMs,
): Promise<TokenResult> {
  const answer = await tryTokens(client, grant, answerWaitMs);
  return answer === "retry" ? { type: "unavailable" } : answer;
}

async function tryTokens(client: LoginClient, grant: Grant, answerWaitMs: number): Promise<TokenResult | "retry"> {
  const { type, ...parameters } = grant;
  try {
    return await withDeadline(answerWaitMs, async (signal) => {
      const { server, client: id, authentication, options } = getRequestParts(client, signal);
      // The library follows no redirect, which would send the grant to another host.
      const response = await oauth.genericTokenEndpointRequest(server, id, authentication, type, parameters, options);
      if (!response.ok) return parseRefusal(response.status, await readErrorText(response));
      const answer = await readResponseJson<unknown>(response, serviceResponseBytes);
      return { type: "tokens", tokens: parseTokens(answer, parameters.refresh_token ?? "") };
    });
  } catch {
    return "retry";
  }
}

/** Throws if the response contains no access token. */
function parseTokens(answer: unknown, oldRefreshToken: string): NewTokens {
  const { access_token, refresh_token, expires_in } = answer as Record<string, unknown>;
  if (typeof access_token !== "string" || access_token === "") throw new Error("the answer holds no access token");
  return {
    accessToken: access_token,
    // A provider that does not rotate refresh tokens omits it.
    refreshToken: typeof refresh_token === "string" ? refresh_token : oldRefreshToken,
    expiresAt: typeof expires_in === "number" ? Date.now() + expires_in * 1000 : null,
  };
}

const refusingStatuses = [400, 401, 403];

/** Errors of the client or the request: connecting the login again would not help. */
const clientErrors = [
  "invalid_client",
  "unauthorized_client",
  "unsupported_grant_type",
  "invalid_request",
  "invalid_scope",
];

function parseRefusal(status: number, text: string): TokenResult | "retry" {
  if (status === 408 || status === 429 || status >= 500) return "retry";
  // Anything but JSON comes from a proxy in between, and says nothing about the grant.
  const body = jsonObject(text);
  if (!refusingStatuses.includes(status) || body === null) return { type: "unavailable" };
  if (clientErrors.some((error) => text.includes(`"${error}"`))) return { type: "client-refused" };
  return { type: "refused", error: typeof body.error === "string" ? body.error : "" };
}

function jsonObject(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : null;
  } catch {
    return null;
  }
}
