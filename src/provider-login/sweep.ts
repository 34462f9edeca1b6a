// The sweep of sign-ins: deletes those that ended long ago, and revokes tokens that nobody uses.

import type { Env } from "../env.ts";
import type { SweepPlace } from "../sweeps/sweep.ts";
import { unsealStep } from "./connect/attempt.ts";
import { revokeDue } from "./connect/revoke.ts";
import { sealTokens } from "./credentials.ts";
import { type AttemptRow, endAttempt, listExpiredAttempts, sweepAttempts } from "./queries/connect-attempts.ts";

/** During this time, a late person is asked to start again; afterwards the token is unknown. */
const keptMs = 24 * 3_600_000;

/** A page of a sweep may make few calls of the database. Those beyond it wait for the next run. */
const attemptsPerRun = 20;

/** Idempotent. */
export async function sweepSignIns(env: Env, { now }: SweepPlace): Promise<null> {
  const before = now - keptMs;
  const expired = await listExpiredAttempts(env.DB, before, attemptsPerRun);
  await Promise.all(expired.map((attempt) => queueTokens(env, attempt)));
  const tokenHashes = expired.map(({ tokenHash }) => tokenHash);
  await Promise.all([sweepAttempts(env.DB, before, tokenHashes), revokeDue(env, now)]);
  return null;
}

/** Queues tokens that were issued for a sign-in but never became a login. */
async function queueTokens(env: Env, { tokenHash, name, sealed }: AttemptRow): Promise<void> {
  // A text whose key is gone cannot be revoked.
  const step = await unsealStep(env, { tokenHash, sealed }).catch(() => null);
  if (step?.type !== "tokens") return;
  const tokens = await sealTokens(env, name, step.tokens);
  await endAttempt(env.DB, tokenHash, { outcome: "restart", sealed: tokens });
}
