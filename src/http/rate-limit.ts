// Rate limits: how often one key may ask. The platform counts, by the minute of the clock; it asks neither D1 nor an object.
import type { Env } from "../env.ts";
import { areRateLimitsLifted } from "../one-machine.ts";
import { type Refusal, refuse } from "../rules/refusal.ts";

/** What it takes to count a key's requests. */
export type LimitedBy = Pick<Env, "KEY_REQUESTS" | "RATE_LIMITS" | "PUBLIC_URL" | "SANDBOX_HOST_URL">;

/** Counts a request of a key, and refuses what passes its limit (D 9). */
export async function limitKey(env: LimitedBy, key: string, now: number): Promise<Refusal | null> {
  if (areRateLimitsLifted(env)) return null;
  const { success } = await env.KEY_REQUESTS.limit({ key });
  return success ? null : { ...refuse("TOO_MANY_REQUESTS"), retryAfterSeconds: secondsToNextMinute(now) };
}

function secondsToNextMinute(now: number): number {
  return 60 - (Math.floor(now / 1_000) % 60);
}
