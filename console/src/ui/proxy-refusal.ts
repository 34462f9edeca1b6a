// Refusals that do not come from the service: a proxy between the browser and it has responded. The
// library words them for programs.
import { SwitchyardError } from "@switchyard/client";

/** True for a response that was not the service's. The sentence then begins with the operation. */
export const isOfProxy = (error: unknown): error is SwitchyardError =>
  error instanceof SwitchyardError && error.message.startsWith(`${error.operation} was answered with`);

const again = "Try again in a moment.";
const askNetwork = "Ask the people who run your network, or this service.";

const signIn = "A proxy on the way to the service asks you to sign in to it. Do so, then try again.";

const sentences: Record<number, string> = {
  401: signIn,
  402: `A proxy on the way to the service asks for a payment. ${askNetwork}`,
  407: signIn,
  408: `A proxy on the way to the service has not received all of it in time. ${again}`,
  413: "The message or a file is too large for a proxy on the way to the service. Send less at a time, or smaller files.",
  414: "The text is too long for a proxy on the way to the service. Make it shorter.",
  431: "Your browser sends more cookies than a proxy on the way to the service takes. Delete the cookies of this page.",
};

/** What happened for a person, and what they can do. */
export function describeProxyRefusal({ status, retryAfterMs, operation }: SwitchyardError): string {
  if (status === 429) {
    const wait = retryAfterMs === null ? "a moment" : `${Math.max(1, Math.ceil(retryAfterMs / 1_000))} s`;
    return `A proxy on the way to the service takes no more requests for now. Try again in ${wait}.`;
  }
  if (status < 500) return sentences[status] ?? `A proxy on the way to the service has refused this. ${askNetwork}`;
  // A proxy may have lost only the response.
  return operation.startsWith("GET ")
    ? `The service was not reached: a proxy on the way to it has failed. ${again}`
    : "A proxy on the way to the service has failed. The change may have been made: check before you repeat it.";
}
