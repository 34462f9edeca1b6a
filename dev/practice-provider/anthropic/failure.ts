// Failures on the Anthropic Messages wire.
import type { Failure, FailureAnswer } from "../failure.ts";

const limitResetsAfterSeconds = 3600;

/** Returns the HTTP response of a failure. */
export function failureAnswer(failure: Failure): FailureAnswer {
  switch (failure.kind) {
    case "context_window_exceeded":
      return answer(400, "invalid_request_error", "prompt is too long: 213462 tokens > 200000 maximum");
    case "overloaded":
      return answer(529, "overloaded_error", "Overloaded");
    case "rate_limited":
      return answer(429, "rate_limit_error", "This request would exceed your organization's rate limit.", {
        "retry-after": "1",
      });
    case "limit_reached":
      return answer(429, "rate_limit_error", "This request would exceed your account's usage limit.", {
        "retry-after": String(limitResetsAfterSeconds),
      });
    case "unauthorized":
      return answer(401, "authentication_error", "invalid x-api-key");
    case "model_not_included":
      return answer(403, "permission_error", `Your membership does not include the model ${failure.model}.`);
    case "bad_request":
      return answer(400, "invalid_request_error", failure.message);
    case "not_found":
      return answer(404, "not_found_error", `Not found: ${failure.path}`);
  }
}

function answer(status: number, type: string, message: string, headers: Record<string, string> = {}): FailureAnswer {
  return { status, headers, body: { type: "error", error: { type, message } } };
}
