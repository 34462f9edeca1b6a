// The fault of a practice device, selected by the start of its token.
import type { Refused } from "./check.ts";

/** How often a device whose token starts with `5105` fails before it accepts a notification. */
const failures = 2;

/**
 * Why a device rejects a notification; null if it accepts it. `failed` counts the failures of each
 * notification and device.
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
