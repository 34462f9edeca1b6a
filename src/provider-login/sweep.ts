// The sweep of sign-ins: deletes those that ended long ago, and retries revocations that failed.

import type { Env } from "../env.ts";
import type { SweepPlace } from "../sweeps/sweep.ts";
import { revokeDue } from "./connect/revoke.ts";
import { sweepAttempts } from "./queries/connect-attempts.ts";

/** During this time, a late person is asked to start again; afterwards the token is unknown. */
const keptMs = 24 * 3_600_000;

/** Idempotent. */
export async function sweepSignIns(env: Env, { now }: SweepPlace): Promise<null> {
  await Promise.all([sweepAttempts(env.DB, now - keptMs), revokeDue(env, now)]);
  return null;
}
