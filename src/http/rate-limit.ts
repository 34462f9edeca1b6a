// Rate limits of keys, of persons, and of visitors without a key. The platform counts per clock
// minute, without a query or a call to an object. `wrangler.toml` has the numbers, and a test
// compares them with the promised ones.
import type { Key } from "../access/rules/caller.ts";
import type { Env } from "../env.ts";
import { isRateLimitLifted } from "../one-machine.ts";
import { type Refusal, refuse } from "../rules/refusal.ts";

/** The settings that decide whether requests are counted. */
export type RateLimitEnv = Pick<Env, "RATE_LIMITS" | "PUBLIC_URL" | "SANDBOX_HOST_URL">;
/** The bindings and settings for counting the requests of a key and of its user. */
export type KeyLimitEnv = RateLimitEnv & Pick<Env, "KEY_REQUESTS" | "USER_REQUESTS">;
/** The counters of public routes. */
export type PublicCounter = "SHARED_PREVIEW_REQUESTS" | "SHARED_ARTIFACT_REQUESTS";
/** The counters of visitors. */
type VisitorCounter = PublicCounter | "FAILED_CREDENTIALS" | "DEVICE_SIGN_INS";

/** Counts a request of a key or a browser session. Refuses it above the limit (decisions 9). */
export function checkKeyLimit(env: KeyLimitEnv, key: string, now: number): Promise<Refusal | null> {
  return limit(env, "keys", env.KEY_REQUESTS, key, now);
}

/**
 * Counts a request of a person with an API key or a browser. Refuses it above the limit for all
 * their keys together. Requests of agents and runs are limited by their turns instead.
 */
export async function checkUserLimit(
  env: KeyLimitEnv,
  { kind, userId }: Pick<Key, "kind" | "userId">,
  now: number,
): Promise<Refusal | null> {
  const isPerson = kind === "api-key" || kind === "browser" || kind === "client";
  return isPerson && userId !== null ? await limit(env, "keys", env.USER_REQUESTS, userId, now) : null;
}

/**
 * Counts an attempt to verify a model provider's credential, by the person who makes it: testing a
 * key, or a step of a sign-in, which also calls the provider. Refuses it above the limit.
 */
export function checkKeyTrialLimit(
  env: RateLimitEnv & Pick<Env, "KEY_TRIALS">,
  userId: string,
  now: number,
): Promise<Refusal | null> {
  return limit(env, "keys", env.KEY_TRIALS, userId, now);
}

/** Counts a request with the key of an HTTP trigger, by the key's hash. */
export function checkTriggerLimit(
  env: RateLimitEnv & Pick<Env, "TRIGGER_REQUESTS">,
  keyHash: string,
  now: number,
): Promise<Refusal | null> {
  return limit(env, "keys", env.TRIGGER_REQUESTS, keyHash, now);
}

/**
 * Counts a request of a visitor by its address. Refuses it above the limit (Part 1, "Limits").
 * Pages and registrations of clients are counted separately.
 */
export function checkVisitorLimit<Counter extends VisitorCounter>(
  env: RateLimitEnv & Record<Counter, RateLimit>,
  counter: Counter,
  request: Pick<Request, "headers">,
  now: number,
  what: "api" | "page" | "client" = "api",
): Promise<Refusal | null> {
  return limit(env, "visitors", env[counter], `${what} ${getClientAddress(request.headers)}`, now);
}

/**
 * Counts a code that a person types on the page of sign-ins from a terminal. Refuses it above the
 * limit, so that nobody finds the code of another terminal.
 */
export function checkDeviceCodeLimit(
  env: RateLimitEnv & Pick<Env, "DEVICE_SIGN_INS">,
  userId: string,
  now: number,
): Promise<Refusal | null> {
  return limit(env, "visitors", env.DEVICE_SIGN_INS, `code ${userId}`, now);
}

/** Counts a terminal that asks whether its sign-in is approved, by the hash of its token. */
export function checkDevicePollLimit(
  env: RateLimitEnv & Pick<Env, "FAILED_CREDENTIALS">,
  tokenHash: string,
  now: number,
): Promise<Refusal | null> {
  return limit(env, "visitors", env.FAILED_CREDENTIALS, `device ${tokenHash}`, now);
}

async function limit(
  env: RateLimitEnv,
  of: "keys" | "visitors",
  counter: RateLimit,
  key: string,
  now: number,
): Promise<Refusal | null> {
  if (!isCounted(env, of)) return null;
  const { success } = await counter.limit({ key });
  return success ? null : refuseTooManyRequests(now);
}

/** True if requests of this kind are limited. */
export function isCounted(env: RateLimitEnv, of: "keys" | "visitors"): boolean {
  return !isRateLimitLifted(env, of);
}

/** The refusal until the next clock minute. */
export function refuseTooManyRequests(now: number): Refusal {
  return { ...refuse("TOO_MANY_REQUESTS"), retryAfterSeconds: secondsToNextMinute(now) };
}

function secondsToNextMinute(now: number): number {
  return 60 - (Math.floor(now / 1_000) % 60);
}

/** The shared name of all clients without an address. */
const anybody = "anybody";

/**
 * The whole network address of the caller, for the audit log; null if it is unknown, as for a
 * sandbox.
 */
export function findCallerAddress({ headers }: Pick<Request, "headers">): string | null {
  return headers.get("cf-connecting-ip")?.trim() || null;
}

/**
 * The address of a client, as the platform reports it. It identifies clients without a credential.
 * For IPv6 it is the network, because one client has all addresses of a network.
 */
export function getClientAddress(headers: Headers): string {
  const address = headers.get("cf-connecting-ip")?.trim().toLowerCase();
  if (!address) return anybody;
  if (!address.includes(":")) return address;
  const [before = "", after] = address.split("::");
  const head = before === "" ? [] : before.split(":");
  const tail = after ? after.split(":") : [];
  const zeros =
    after === undefined ? [] : Array.from({ length: Math.max(0, 8 - head.length - tail.length) }, () => "0");
  return `${[...head, ...zeros, ...tail].slice(0, 4).join(":")}::/64`;
}
