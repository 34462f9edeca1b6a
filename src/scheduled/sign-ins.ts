// The sweep of sign-ins: forgets those that ended long ago, and repeats revocations that failed.
import { revokeDue } from "../actions/sign-in/revoke.ts";
import type { Env } from "../env.ts";
import { sweepAttempts } from "../storage/queries/sign-in-attempts.ts";
import type { SweepPlace } from "./sweep.ts";

/** A person who comes back later is told to begin again, not that the token is unknown. */
const keptMs = 24 * 3_600_000;

/** Idempotent. */
export async function sweepSignIns(env: Env, { now }: SweepPlace): Promise<null> {
  await Promise.all([sweepAttempts(env.DB, now - keptMs), revokeDue(env, now)]);
  return null;
}
