// Revokes the tokens of ended sign-ins at their providers.
import { waitUntil } from "cloudflare:workers";
import * as oauth from "oauth4webapi";
import type { Env } from "../../env.ts";
import { reasonOf } from "../../lib/error-text.ts";
import { type LoginTokens, openTokens } from "../credentials.ts";
import { endRevocation, type RevocationRow, takeDueRevocations } from "../queries/revocations.ts";
import { type LoginClient, loginClient, requestParts, withTimeout } from "./oauth-client.ts";

type RevokingEnv = Pick<Env, "DB" | "SEALING_KEYS" | "MODEL_LOGIN_CLIENTS">;

const nextTryMs = 60_000;
/** A provider that is away for longer than this many minutes leaves the tokens to their own end. */
const triesMax = 60;
const revocationsPerRun = 20;

/** Revokes what is due, behind the answer. What fails is tried again by the sweep. */
export function revokeBehindAnswer(env: RevokingEnv): void {
  waitUntil(
    revokeDue(env, Date.now()).catch((error: unknown) =>
      console.error("revocations are left to the sweep", reasonOf(error)),
    ),
  );
}

/** Revokes what is due. Idempotent. */
export async function revokeDue(env: RevokingEnv, now: number): Promise<void> {
  const due = await takeDueRevocations(env.DB, { now, nextTryMs, limit: revocationsPerRun });
  await Promise.all(due.map((row) => revoke(env, row)));
}

async function revoke(env: RevokingEnv, row: RevocationRow): Promise<void> {
  const { id, ownerType, ownerId, provider, loginId, sealed, tries } = row;
  const client = loginClient(env, provider);
  const name = { owner: { type: ownerType, id: ownerId }, provider, id: loginId };
  const tokens = await openTokens(env, name, sealed).catch(() => null);
  const isDone = client === null || tokens === null || (await revokeTokens(client, tokens));
  if (isDone || tries >= triesMax) await endRevocation(env.DB, id);
}

// The revocation of a login's tokens at its provider (RFC 7009).

const waitMs = 10_000;

/**
 * Revokes tokens. False if that is worth another try; a provider without a place for it has nothing
 * to revoke.
 */
export async function revokeTokens(client: LoginClient, { accessToken, refreshToken }: LoginTokens): Promise<boolean> {
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
    return await withTimeout(waitMs, async (signal) => {
      const { server, client: id, authentication, options } = requestParts(client, signal);
      const response = await oauth.revocationRequest(server, id, authentication, token, {
        ...options,
        additionalParameters: { token_type_hint: hint },
      });
      await response.body?.cancel();
      // What the provider refuses for good, it refuses the next time too.
      return response.status < 500 && response.status !== 408 && response.status !== 429;
    });
  } catch (error) {
    console.error("a provider did not answer a revocation", reasonOf(error));
    return false;
  }
}
