// What a person can do when notifications could not be turned on in a browser. The browser and the
// service name parts of a subscription, which the person has never seen.
import { SwitchyardError } from "@switchyard/client";

const stepsByName: Record<string, string> = {
  AbortError:
    "This browser did not reach its push service. Check your connection, and whether a setting of the browser turns push messages off. Then try again.",
  NetworkError: "This browser did not reach its push service. Check your connection, then try again.",
  NotAllowedError:
    "The browser does not allow notifications here. Allow them in its site settings. A private window never has them.",
  NotSupportedError: "This browser cannot get notifications from this service. Use another browser.",
};

/** The words for an error of `turnOnPush`; null where the words of the error are the best. */
export function findPushAdvice(error: unknown): string | null {
  if (error instanceof DOMException) return stepsByName[error.name] ?? null;
  if (error instanceof SwitchyardError && error.failure.code === "VALIDATION_ERROR")
    return "The service cannot send to the push service of this browser. Use another browser, or ask your operator and name the request below.";
  return null;
}
