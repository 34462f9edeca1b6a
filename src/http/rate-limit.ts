// Rate limits: how often one key, or one visitor without a key, may ask. The platform counts, by the minute of the clock; it asks neither
// D1 nor an object.
import type { Env } from "../env.ts";
import { areRateLimitsLifted } from "../one-machine.ts";
import { type Refusal, refuse } from "../rules/refusal.ts";
import { clientAddress } from "./client-address.ts";

/** What it takes to know whether requests are counted. */
export type Counted = Pick<Env, "RATE_LIMITS" | "PUBLIC_URL" | "SANDBOX_HOST_URL">;
/** What it takes to count a key's requests. */
export type LimitedBy = Counted & Pick<Env, "KEY_REQUESTS">;
/** The counters of what is open to everybody. */
export type PublicCounter = "SHARED_PREVIEW_REQUESTS" | "SHARED_ARTIFACT_REQUESTS";
/** The counters of visitors. */
type VisitorCounter = PublicCounter | "FAILED_CREDENTIALS";

/** Counts a request of a key or a browser session, and refuses what passes its limit (D 9). */
export function limitKey(env: LimitedBy, key: string, now: number): Promise<Refusal | null> {
  return limit(env, "keys", env.KEY_REQUESTS, key, now);
}

/** Counts a request of a visitor by the address it comes from, and refuses what passes the limit (Part 1, "Limits"). Pages count apart. */
export function limitVisitor<Counter extends VisitorCounter>(
  env: Counted & Record<Counter, RateLimit>,
  counter: Counter,
  request: Pick<Request, "headers">,
  now: number,
  what: "api" | "page" = "api",
): Promise<Refusal | null> {
  return limit(env, "visitors", env[counter], `${what} ${clientAddress(request.headers)}`, now);
}

async function limit(
  env: Counted,
  of: "keys" | "visitors",
  counter: RateLimit,
  key: string,
  now: number,
): Promise<Refusal | null> {
  if (!areCounted(env, of)) return null;
  const { success } = await counter.limit({ key });
  return success ? null : tooManyRequests(now);
}

/** True where requests of this kind are limited. */
export function areCounted(env: Counted, of: "keys" | "visitors"): boolean {
  return !areRateLimitsLifted(env, of);
}

/** The refusal until the next minute of the clock. */
export function tooManyRequests(now: number): Refusal {
  return { ...refuse("TOO_MANY_REQUESTS"), retryAfterSeconds: secondsToNextMinute(now) };
}

function secondsToNextMinute(now: number): number {
  return 60 - (Math.floor(now / 1_000) % 60);
}
