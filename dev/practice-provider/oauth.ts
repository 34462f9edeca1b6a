// The practice provider's logins. Tokens contain their expiry and their number: `practice-access-<expires at, in ms>-<login>.<number>` and
// `practice-refresh-<login>.<number>`, where `<login>` is any word. Each refresh issues the next number, and a refresh token works once.
import type { IncomingMessage, ServerResponse } from "node:http";
import { sendJson } from "./reply.ts";

const accessLifetimeSeconds = 3600;
const accessToken = /^practice-access-(\d+)-/;
const refreshToken = /^practice-refresh-(\w+)\.(\d+)$/;

export interface PracticeLogins {
  /** Handles a request to `/<provider>/oauth/…`. */
  answer(request: IncomingMessage, path: string, body: string, response: ServerResponse): void;
}

/** True for an access token that has not expired. */
export function isGoodAccessToken(token: string): boolean {
  return Number(accessToken.exec(token)?.[1] ?? 0) > Date.now();
}

/** Creates the logins of all providers, none of them refreshed yet. */
export function openLogins(): PracticeLogins {
  /** The number of refreshes of each provider. */
  const counts = new Map<string, number>();
  /** The number of the newest refresh token of each login that was refreshed. */
  const newest = new Map<string, number>();

  /** Issues the next pair; null for a used or invalid refresh token. */
  function next(provider: string, token: string): object | null {
    const [, login, number] = refreshToken.exec(token) ?? [];
    if (login === undefined) return null;
    const line = `${provider} ${login}`;
    if (Number(number) !== (newest.get(line) ?? Number(number))) return null;
    const following = Number(number) + 1;
    newest.set(line, following);
    counts.set(provider, (counts.get(provider) ?? 0) + 1);
    return {
      token_type: "Bearer",
      access_token: `practice-access-${Date.now() + accessLifetimeSeconds * 1000}-${login}.${following}`,
      refresh_token: `practice-refresh-${login}.${following}`,
      expires_in: accessLifetimeSeconds,
    };
  }

  return {
    answer({ method }, path, body, response) {
      const [, provider = "", , does] = path.split("/");
      if (method === "GET" && does === "count") {
        return sendJson(response, 200, { refreshes: counts.get(provider) ?? 0 });
      }
      if (method !== "POST" || does !== "token") return sendJson(response, 404, { error: "not_found" });
      const form = new URLSearchParams(body);
      if (form.get("grant_type") !== "refresh_token") {
        return sendJson(response, 400, { error: "unsupported_grant_type" });
      }
      const tokens = next(provider, form.get("refresh_token") ?? "");
      sendJson(response, tokens ? 200 : 400, tokens ?? { error: "invalid_grant" });
    },
  };
}
