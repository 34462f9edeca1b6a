// What a person reads when notifications could not be turned on in a browser.
import { SwitchyardError } from "@switchyard/client";
import { expect, test } from "vitest";
import { findPushAdvice } from "../../console/src/account/push-words.ts";

const refused = (code: "VALIDATION_ERROR" | "FORBIDDEN") =>
  new SwitchyardError("subscription.endpoint: is not an address", {
    ...{ failure: { code, details: {} } as SwitchyardError["failure"], status: 400 },
    ...{ requestId: "r1", retryAfterMs: null, operation: "POST /api/push/devices" },
  });

test.each<[what: string, error: unknown, advice: RegExp | null]>([
  ["a push service that is not reached", new DOMException("Registration failed", "AbortError"), /Then try again/],
  ["a browser that allows none", new DOMException("permission denied", "NotAllowedError"), /site settings/],
  ["a push service that the service refuses", refused("VALIDATION_ERROR"), /Use another browser/],
  ["another refusal keeps its words", refused("FORBIDDEN"), null],
  ["an unknown error keeps its words", new DOMException("Odd.", "DataError"), null],
])("%s", (_, error, advice) => {
  const words = findPushAdvice(error);
  if (advice === null) expect(words).toBe(null);
  else expect(words).toMatch(advice);
});
