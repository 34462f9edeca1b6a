// Limits invalid credentials. Each costs a lookup, so a visitor with too many is refused before the
// next lookup. Credentials that were valid a short time ago still pass, because many people and
// agents may share one address.
import type { Env } from "../env.ts";
import type { Refusal } from "../rules/refusal.ts";
import {
  checkVisitorLimit,
  getClientAddress,
  isCounted,
  type RateLimitEnv,
  refuseTooManyRequests,
} from "./rate-limit.ts";

/** The bindings and settings for counting invalid credentials. */
export type FailureLimitEnv = RateLimitEnv & Pick<Env, "FAILED_CREDENTIALS">;

const minuteMs = 60_000;
const rememberedMax = 10_000;

/**
 * The refused visitors, and when each refusal ends. Each isolate fills this from the shared
 * counter.
 */
const barredUntil = new Map<string, number>();
/** The hashes of credentials that were valid, and until when they count as valid. */
const goodUntil = new Map<string, number>();

/** Refuses a visitor with too many invalid credentials. */
export function checkBarred(
  env: FailureLimitEnv,
  { headers }: Pick<Request, "headers">,
  now: number,
  hash: string | null = null,
): Refusal | null {
  const isBarred = isCounted(env, "visitors") && isRemembered(barredUntil, getClientAddress(headers), now);
  return isBarred && !(hash !== null && isRemembered(goodUntil, hash, now)) ? refuseTooManyRequests(now) : null;
}

/** Counts an invalid credential. Refuses its visitor at the limit. */
export async function countFailure(
  env: FailureLimitEnv,
  request: Pick<Request, "headers">,
  now: number,
): Promise<Refusal | null> {
  const excess = await checkVisitorLimit(env, "FAILED_CREDENTIALS", request, now);
  if (excess) remember(barredUntil, getClientAddress(request.headers), now + (excess.retryAfterSeconds ?? 0) * 1_000);
  return excess;
}

/** Records a valid credential. */
export function recordValidCredential(hash: string, now: number): void {
  remember(goodUntil, hash, now + minuteMs);
}

function isRemembered(times: Map<string, number>, name: string, now: number): boolean {
  return (times.get(name) ?? 0) > now;
}

function remember(times: Map<string, number>, name: string, until: number): void {
  // Maps iterate in insertion order, so the oldest entry is first.
  times.delete(name);
  times.set(name, until);
  for (const oldest of times.keys()) {
    if (times.size <= rememberedMax) return;
    times.delete(oldest);
  }
}
