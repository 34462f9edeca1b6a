// The one-machine world: some things are allowed only where the service and its sandbox host run on loopback, for whoever started them.
// A setting alone opens none of them, so that no mistake in a setting opens them to the world.
import type { Env } from "./env.ts";

const loopbackHosts = ["localhost", "127.0.0.1", "[::1]"];

/** True when nobody beyond this machine is served. */
export function isOneMachine({ PUBLIC_URL, SANDBOX_HOST_URL }: Pick<Env, "PUBLIC_URL" | "SANDBOX_HOST_URL">): boolean {
  return [PUBLIC_URL, SANDBOX_HOST_URL].every((url) => loopbackHosts.includes(hostOf(url)));
}

/** True when anybody may sign in as anybody, without a proof. */
export function isDevSignInOpen(env: Pick<Env, "PUBLIC_URL" | "SANDBOX_HOST_URL" | "DEV_SIGN_IN">): boolean {
  return env.DEV_SIGN_IN === "on" && isOneMachine(env);
}

/**
 * True when requests of this kind are not limited: with `off` none are, so that tests and measurements can ask as fast as they like; with
 * `visitors` those without a key alone are, so that a developer's own scripts can.
 */
export function areRateLimitsLifted(
  env: Pick<Env, "PUBLIC_URL" | "SANDBOX_HOST_URL" | "RATE_LIMITS">,
  of: "keys" | "visitors",
): boolean {
  return isOneMachine(env) && (env.RATE_LIMITS === "off" || (env.RATE_LIMITS === "visitors" && of === "keys"));
}

function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).hostname : "";
}
