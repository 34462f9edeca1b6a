// Revokes the tokens of ended sign-ins at their providers.
import { waitUntil } from "cloudflare:workers";
import * as oauth from "oauth4webapi";
import type { Env } from "../../env.ts";
import { log } from "../../lib/log.ts";
import { withDeadline } from "../../lib/timeout.ts";
import { type LoginTokens, unsealTokens } from "../credentials.ts";
import { claimDueRevocations, deleteRevocation, type RevocationRow } from "../queries/revocations.ts";
import { findLoginClient, getRequestParts, type LoginClient } from "./oauth-client.ts";

type RevokingEnv = Pick<Env, "DB" | "SEALING_KEYS" | "MODEL_LOGIN_CLIENTS">;

const nextTryMs = 60_000;
/** After so many minutes of failed attempts, the tokens are left to expire. */
const triesMax = 60;
const revocationsPerRun = 20;

/** Revokes what is due, after the response is sent. The sweep retries failures. */
export function revokeAfterResponse(env: RevokingEnv): void {
  waitUntil(revokeDue(env, Date.now()).catch((error: unknown) => log.warn("revocation.delayed", { error })));
}

/** Revokes what is due. Idempotent. */
export async function revokeDue(env: RevokingEnv, now: number): Promise<void> {
  const due = await claimDueRevocations(env.DB, { now, nextTryMs, limit: revocationsPerRun });
  await Promise.all(due.map((row) => revoke(env, row)));
}

async function revoke(env: RevokingEnv, row: RevocationRow): Promise<void> {
  const { id, ownerType, ownerId, provider, loginId, sealed, tries } = row;
  const client = findLoginClient(env, provider);
  const name = { owner: { type: ownerType, id: ownerId }, provider, id: loginId };
  const tokens = await unsealTokens(env, name, sealed).catch(() => null);
  const isDone = client === null || tokens === null || (await revokeTokens(client, tokens));
  if (isDone || tries >= triesMax) await deleteRevocation(env.DB, id);
}

const waitMs = 10_000;

/**
 * Revokes tokens. False if a retry may help. Without a revocation endpoint, there is nothing to
 * revoke.
 */
async function revokeTokens(client: LoginClient, { accessToken, refreshToken }: LoginTokens): Promise<boolean> {
  if (client.revokeUrl === undefined) return true;
  // Most providers end the whole grant with its refresh token.
  const tokens = { refresh_token: refreshToken, access_token: accessToken };
  const revoked = await Promise.all(
    Object.entries(tokens).map(([hint, token]) => (token === "" ? true : revokeToken(client, token, hint))),
  );
  return revoked.every((isRevoked) => isRevoked);
}

async function revokeToken(client: LoginClient, token: string, hint: string): Promise<boolean> {
  try {
    return await withDeadline(waitMs, async (signal) => {
      const { server, client: id, authentication, options } = getRequestParts(client, signal);
      const response = await oauth.revocationRequest(server, id, authentication, token, {
        ...options,
        additionalParameters: { token_type_hint: hint },
      });
      await response.body?.cancel();
      // A permanent refusal by the provider would be repeated.
      return response.status < 500 && response.status !== 408 && response.status !== 429;
    });
  } catch (error) {
    log.warn("revocation.failed", { error });
    return false;
  }
}
