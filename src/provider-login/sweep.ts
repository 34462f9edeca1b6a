// The sweep of sign-ins: forgets those that ended long ago, and repeats revocations that failed.

import type { Env } from "../env.ts";
import type { SweepPlace } from "../sweeps/sweep.ts";
import { revokeDue } from "./connect/revoke.ts";
import { sweepAttempts } from "./queries/connect-attempts.ts";

/** A person who comes back later is told to begin again, not that the token is unknown. */
const keptMs = 24 * 3_600_000;

/** Idempotent. */
export async function sweepSignIns(env: Env, { now }: SweepPlace): Promise<null> {
  await Promise.all([sweepAttempts(env.DB, now - keptMs), revokeDue(env, now)]);
  return null;
}
