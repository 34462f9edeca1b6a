// One-machine mode: some settings take effect only if the service and its sandbox host are both on
// loopback, so that a mistake in a setting cannot expose a deployment.
import type { Env } from "./env.ts";

const loopbackHosts = ["localhost", "127.0.0.1", "[::1]"];

/** True if the service is reachable only from this machine. */
export function isOneMachine({ PUBLIC_URL, SANDBOX_HOST_URL }: Pick<Env, "PUBLIC_URL" | "SANDBOX_HOST_URL">): boolean {
  return [PUBLIC_URL, SANDBOX_HOST_URL].every(isLoopback);
}

/** True for a URL on this machine. */
export const isLoopback = (url: string): boolean => loopbackHosts.includes(getHost(url));

/** True if a sign-in needs no proof. */
export function isDevSignInOpen(env: Pick<Env, "PUBLIC_URL" | "SANDBOX_HOST_URL" | "DEV_SIGN_IN">): boolean {
  return env.DEV_SIGN_IN === "on" && isOneMachine(env);
}

/**
 * True if requests of this kind are not rate-limited. RATE_LIMITS=off lifts all limits, for tests
 * and benchmarks. RATE_LIMITS=visitors lifts those of requests with a key, so that a developer's
 * own scripts run at full speed.
 */
export function isRateLimitLifted(
  env: Pick<Env, "PUBLIC_URL" | "SANDBOX_HOST_URL" | "RATE_LIMITS">,
  of: "keys" | "visitors",
): boolean {
  return isOneMachine(env) && (env.RATE_LIMITS === "off" || (env.RATE_LIMITS === "visitors" && of === "keys"));
}

/** The least time that an unused sandbox stays up, in milliseconds: IDLE_MINUTES, otherwise 0. */
export function getLeastIdleMs(env: Pick<Env, "PUBLIC_URL" | "SANDBOX_HOST_URL" | "IDLE_MINUTES">): number {
  return isOneMachine(env) ? Number(env.IDLE_MINUTES ?? 0) * 60_000 : 0;
}

/** True if webhooks may lead to loopback addresses, where a developer's receiver runs. */
export function mayReachLoopback(env: Pick<Env, "PUBLIC_URL" | "SANDBOX_HOST_URL" | "WEBHOOKS_TO_LOOPBACK">): boolean {
  return env.WEBHOOKS_TO_LOOPBACK === "on" && isOneMachine(env);
}

function getHost(url: string): string {
  return URL.canParse(url) ? new URL(url).hostname : "";
}
