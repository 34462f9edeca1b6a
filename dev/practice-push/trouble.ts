// What is wrong with a practice device, as its token begins.
import type { Refused } from "./check.ts";

/** How often a device that begins `5105` fails before it takes a notice. */
const failures = 2;

/**
 * Why a device does not take a notice; null if it does. `failed` counts the failures of each notice
 * and device.
 */
export function troubleOf(token: string, collapseId: string, failed: Map<string, number>): Refused | null {
  switch (token.slice(0, 4)) {
    case "dead":
      return { status: 410, reason: "Unregistered" };
    case "bad0":
      return { status: 400, reason: "BadDeviceToken" };
    case "4290":
      return { status: 429, reason: "TooManyRequests" };
    case "5105": {
      const key = `${token} ${collapseId}`;
      const before = failed.get(key) ?? 0;
      failed.set(key, before + 1);
      return before < failures ? { status: 503, reason: "ServiceUnavailable" } : null;
    }
    default:
      return null;
  }
}
