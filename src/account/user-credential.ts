// The tokens of a user at the code host: sealed, and renewed once they have expired.
import type { Credential } from "../code-host/github/call.ts";
import type { Env } from "../env.ts";
import { createTokenCache, type IssuedToken } from "../lib/cached-token.ts";
import { wait } from "../lib/timeout.ts";
import { refuseConnection } from "../project/rules/repository.ts";
import { isRefusal, type Refusal } from "../rules/refusal.ts";
import { seal, unseal } from "../storage/sealing.ts";
import { refreshUserTokens, type SignInClient, type UserTokens } from "./code-host-sign-in.ts";
import { findIdentity, type IdentityRow, updateSealedTokens } from "./queries.ts";

const marginMs = 60_000;
/** The waits for a concurrent call that saves the tokens that it got. */
const savingMs = [100, 500, 2_000];

/** Reads the tokens of a connection. Throws if their key is gone. */
export async function readTokens(env: Env, { userId, sealed }: IdentityRow): Promise<UserTokens> {
  return JSON.parse(await unseal(env.SEALING_KEYS, getIdentity(userId), sealed));
}

/** Seals the tokens of a user. */
export function sealTokens(env: Env, userId: string, tokens: UserTokens): Promise<string> {
  return seal(env.SEALING_KEYS, getIdentity(userId), JSON.stringify(tokens));
}

function getIdentity(userId: string): string {
  return `code-host-identity:${userId}`;
}

/**
 * Returns the credential for calls as a user. FORBIDDEN once the code host no longer accepts the
 * connection.
 */
export function createUserCredential(env: Env, client: SignInClient, found: IdentityRow): Credential {
  const load = async () => await readTokens(env, found).catch(() => null);
  return createTokenCache({
    now: Date.now,
    marginMs,
    load: async () => {
      const tokens = await load();
      return tokens && toIssued(tokens);
    },
    issue: async () => {
      const tokens = await renewTokens(env, client, found, await load());
      return isRefusal(tokens) ? tokens : toIssued(tokens);
    },
    store: async () => {},
  });
}

function toIssued({ accessToken, expiresAt }: UserTokens): IssuedToken {
  return { token: accessToken, expiresAt: expiresAt ?? Number.POSITIVE_INFINITY };
}

/** A refresh token works once. A concurrent call that was first has saved the next tokens. */
async function renewTokens(
  env: Env,
  client: SignInClient,
  found: IdentityRow,
  tokens: UserTokens | null,
): Promise<UserTokens | Refusal> {
  const { userId, login } = found;
  if (!tokens?.refreshToken) return refuseConnection(login);
  const renewed = await refreshUserTokens(client, tokens.refreshToken);
  if (!isRefusal(renewed)) {
    await saveRenewed(env, found, tokens.refreshToken, renewed);
    return renewed;
  }
  if (renewed.code !== "BAD_REQUEST") return renewed;
  for (const ms of savingMs) {
    await wait(ms);
    const stored = await findIdentity(env.DB, userId);
    const other = stored && (await readTokens(env, stored).catch(() => null));
    if (other && other.accessToken !== tokens.accessToken) return other;
  }
  return refuseConnection(login);
}

/**
 * Saves renewed tokens. Tries again, because without them the connection is lost: the refresh token
 * that was used works no more.
 */
async function saveRenewed(
  env: Env,
  { userId, sealed }: IdentityRow,
  used: string,
  renewed: UserTokens,
): Promise<void> {
  const to = await sealTokens(env, userId, renewed);
  let from = sealed;
  for (const ms of [...savingMs, null]) {
    try {
      if (await updateSealedTokens(env.DB, { userId, from, to, expiresAt: renewed.expiresAt })) return;
      // The used tokens may have been resealed meanwhile. Any others are newer.
      const stored = await findIdentity(env.DB, userId);
      const kept = stored && (await readTokens(env, stored));
      if (kept?.refreshToken !== used) return;
      from = stored?.sealed ?? "";
    } catch (error) {
      if (ms === null) throw error;
      await scheduler.wait(ms);
    }
  }
}
