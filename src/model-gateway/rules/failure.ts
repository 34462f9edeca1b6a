// The service's own failures of a model call, with their stable codes. A turn that ends because of
// one of them has the same code.

/**
 * The status, which the agent retries only if that can help, and the provider's error type for it.
 */
export const callFailures = {
  unknown_provider: [404, "not_found_error"],
  unknown_path: [404, "not_found_error"],
  invalid_token: [401, "authentication_error"],
  turn_over: [403, "permission_error"],
  model_not_granted: [403, "permission_error"],
  option_not_granted: [403, "permission_error"],
  unreadable_call: [403, "permission_error"],
  /** There is no credential, or its provider no longer accepts it. */
  provider_unauthorized: [401, "authentication_error"],
  /** Every login of the payer's subscription is at its limit. */
  subscription_limit_reached: [403, "permission_error"],
  /** Every login of the payer's subscription must be connected again. */
  subscription_needs_reauth: [403, "permission_error"],
  /** The payer no longer has a login of the provider, or has left the workspace. */
  subscription_disconnected: [403, "permission_error"],
  /** The workspace or the session has reached its spend limit. */
  credit_limit_reached: [403, "permission_error"],
  /** The provider accepted the call but never responded. */
  provider_silent: [424, "api_error"],
  provider_unreachable: [502, "api_error"],
  call_too_large: [413, "request_too_large"],
  call_unread: [400, "invalid_request_error"],
  call_not_taken: [503, "overloaded_error"],
  login_client_missing: [424, "api_error"],
  login_client_refused: [424, "api_error"],
  login_unavailable: [503, "overloaded_error"],
  /** Returned by a sandbox's own program: the service did not come back in time. */
  service_away: [424, "api_error"],
} as const satisfies Record<string, readonly [number, string]>;

export type CallFailureCode = keyof typeof callFailures;

export interface CallFailure {
  code: CallFailureCode;
  message: string;
}

export const turnOver: CallFailure = { code: "turn_over", message: "This turn is over." };

/** The statuses that no agent retries: the turn ends with the service's message. */
const finalStatuses: readonly number[] = [401, 403, 424];

const finalCodes = (Object.keys(callFailures) as CallFailureCode[]).filter((code) =>
  finalStatuses.includes(callFailures[code][0]),
);

/**
 * The code of the service's own refusal in the error of a model client, which contains the JSON of
 * the response; null if a provider failed.
 */
export function findOwnCode(error: string): CallFailureCode | null {
  const [, code] = /"code"\s*:\s*"(\w+)"/.exec(error) ?? [];
  return finalCodes.find((own) => own === code) ?? null;
}
