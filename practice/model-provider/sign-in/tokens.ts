// The tokens of the practice provider's logins. They contain their expiry and their number:
// `practice-access-<expires at, in ms>-<login>.<number>` and `practice-refresh-<login>.<number>`,
// where `<login>` is any word. Each refresh issues the next number, and a refresh token works once.
import { randomBytes } from "node:crypto";
import type { Login, SignInStore } from "./state.ts";

const lifetimeSeconds = 3600;
/** Accounts whose address starts like this get a first access token that is already expired. */
const staleAddress = /^(sk-practice-)?stale-/;
const accessToken = /^practice-access-(\d+)-(\w+)\.(\d+)$/;
const refreshToken = /^practice-refresh-(\w+)\.(\d+)$/;

export interface IssuedTokens {
  token_type: "Bearer";
  access_token: string;
  refresh_token: string;
  expires_in: number;
}

export interface Tokens {
  /** The tokens of a new login of an account. */
  issue(provider: string, address: string): IssuedTokens;
  /** The next tokens of a login; null for a used, revoked or invalid refresh token. */
  refresh(provider: string, token: string): IssuedTokens | null;
  /** True for an access token that has not expired, of a login that was not revoked. */
  isGood(token: string): boolean;
  /** The login of a token; null if no sign-in issued it. */
  findLogin(token: string): Login | null;
  /** Ends the login of a token. Unknown tokens are ignored (RFC 7009). */
  revoke(token: string): void;
  countRefreshes(provider: string): number;
}

export function createTokens({ state, save }: SignInStore): Tokens {
  const toIssuedTokens = (login: string, number: number, seconds: number): IssuedTokens => ({
    token_type: "Bearer",
    access_token: `practice-access-${Date.now() + seconds * 1000}-${login}.${number}`,
    refresh_token: `practice-refresh-${login}.${number}`,
    expires_in: seconds,
  });
  const findWord = (token: string) => accessToken.exec(token)?.[2] ?? refreshToken.exec(token)?.[1] ?? "";
  const findLogin = (token: string) => state.logins[findWord(token)] ?? null;

  return {
    findLogin,
    issue(provider, address) {
      const login = randomBytes(8).toString("hex");
      state.logins[login] = { provider, address, isRevoked: false };
      save();
      return toIssuedTokens(login, 1, staleAddress.test(address) ? 1 : lifetimeSeconds);
    },
    refresh(provider, token) {
      const [, login, number] = refreshToken.exec(token) ?? [];
      if (login === undefined || findLogin(token)?.isRevoked) return null;
      const line = `${provider} ${login}`;
      if (Number(number) !== (state.newest[line] ?? Number(number))) return null;
      const following = Number(number) + 1;
      state.newest[line] = following;
      state.refreshes[provider] = (state.refreshes[provider] ?? 0) + 1;
      save();
      return toIssuedTokens(login, following, lifetimeSeconds);
    },
    isGood(token) {
      const [, expiresAt] = accessToken.exec(token) ?? [];
      return Number(expiresAt ?? 0) > Date.now() && !findLogin(token)?.isRevoked;
    },
    revoke(token) {
      const login = findLogin(token);
      if (!login) return;
      login.isRevoked = true;
      save();
    },
    countRefreshes: (provider) => state.refreshes[provider] ?? 0,
  };
}
