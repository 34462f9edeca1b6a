// Credentials that turn out to be wrong: each costs a look-up, so a visitor who has shown too many is refused before the next one. Those
// that were good a short while ago go on, for one address may stand for many people and agents.
import type { Env } from "../env.ts";
import type { Refusal } from "../rules/refusal.ts";
import { clientAddress } from "./client-address.ts";
import { areCounted, type Counted, limitVisitor, tooManyRequests } from "./rate-limit.ts";

/** What it takes to count credentials that are wrong. */
export type FailuresCountedBy = Counted & Pick<Env, "FAILED_CREDENTIALS">;

const minuteMs = 60_000;
const rememberedMax = 10_000;

/** The visitors who have shown too many, and until when. An isolate learns it from the counter, which all share. */
const barredUntil = new Map<string, number>();
/** The hashes of credentials that were good, and until when that is believed here. */
const goodUntil = new Map<string, number>();

/** Refuses a visitor who has shown too many wrong credentials, whatever comes next. */
export function refuseBarred(
  env: FailuresCountedBy,
  { headers }: Pick<Request, "headers">,
  now: number,
  hash: string | null = null,
): Refusal | null {
  const isBarred = areCounted(env, "visitors") && isRemembered(barredUntil, clientAddress(headers), now);
  return isBarred && !(hash !== null && isRemembered(goodUntil, hash, now)) ? tooManyRequests(now) : null;
}

/** Counts a credential that was wrong, and refuses its visitor from the limit on. */
export async function countFailure(
  env: FailuresCountedBy,
  request: Pick<Request, "headers">,
  now: number,
): Promise<Refusal | null> {
  const excess = await limitVisitor(env, "FAILED_CREDENTIALS", request, now);
  if (excess) remember(barredUntil, clientAddress(request.headers), now + (excess.retryAfterSeconds ?? 0) * 1_000);
  return excess;
}

/** Notes that a credential is good. */
export function noteGood(hash: string, now: number): void {
  remember(goodUntil, hash, now + minuteMs);
}

function isRemembered(times: Map<string, number>, name: string, now: number): boolean {
  return (times.get(name) ?? 0) > now;
}

function remember(times: Map<string, number>, name: string, until: number): void {
  // The oldest are the first.
  times.delete(name);
  times.set(name, until);
  for (const oldest of times.keys()) {
    if (times.size <= rememberedMax) return;
    times.delete(oldest);
  }
}
