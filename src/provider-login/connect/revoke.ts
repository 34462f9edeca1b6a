// Revokes the tokens of ended sign-ins at their providers.
import { waitUntil } from "cloudflare:workers";
import type { Env } from "../../env.ts";
import { reasonOf } from "../../error-text.ts";
import { openTokens } from "../credentials.ts";
import { endRevocation, type RevocationRow, takeDueRevocations } from "../queries/revocations.ts";
import { loginClient } from "./oauth-client.ts";
import { revokeTokens } from "./revoke-revocation.ts";

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
