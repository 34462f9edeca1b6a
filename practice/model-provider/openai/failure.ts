// Failures on the OpenAI Responses wire.
import { addHint, type Failure, type FailureAnswer, limitLastsSeconds } from "../failure.ts";

interface Wording {
  status: number;
  type: string;
  code: string | null;
  message: string;
  headers?: Record<string, string>;
  /** Further fields of the error. */
  more?: object;
}

/** Returns the HTTP response of a failure. */
export function toFailureResponse(failure: Failure): FailureAnswer {
  const { status, type, code, message, headers = {}, more } = wording(failure);
  return { status, headers, body: { error: { message, type, param: null, code, ...more } } };
}

/** The error of a response that fails in the middle of its stream. */
export function toResponseError(failure: Failure): { code: string; message: string } {
  const { code, type, message } = wording(failure);
  return { code: code ?? type, message };
}

function wording(failure: Failure): Wording {
  switch (failure.kind) {
    case "context_window_exceeded":
      return invalid(400, "context_length_exceeded", "Your input exceeds the context window of this model.");
    case "overloaded":
      return {
        status: 503,
        type: "server_error",
        code: "server_is_overloaded",
        message: "Our servers are currently overloaded. Please try again later.",
      };
    case "rate_limited":
      return {
        status: 429,
        type: "requests",
        code: "rate_limit_exceeded",
        message: "Rate limit reached for requests. Please try again in 1s.",
        headers: { "retry-after": "1" },
      };
    case "limit_reached":
      return {
        status: 429,
        type: "usage_limit_reached",
        code: "usage_limit_reached",
        message: "The usage limit has been reached.",
        headers: { "retry-after": String(limitLastsSeconds) },
        more: { resets_in_seconds: limitLastsSeconds },
      };
    case "revoked":
      return { ...invalid(401, "token_revoked", "This credential was revoked."), type: "authentication_error" };
    case "foreign_reasoning":
      return invalid(
        400,
        "invalid_encrypted_content",
        `The encrypted content for item ${failure.id} could not be verified.`,
      );
    case "unauthorized":
      return invalid(403, "insufficient_permissions", "You have insufficient permissions for this operation.");
    case "unknown_key":
      return invalid(401, "invalid_api_key", addHint("Incorrect API key provided.", failure));
    case "model_not_included":
      return invalid(403, "model_not_found", `Your membership does not include the model ${failure.model}.`);
    case "bad_request":
      return invalid(400, null, failure.message);
    case "not_found":
      return invalid(404, null, `Invalid URL (${failure.path})`);
  }
}

function invalid(status: number, code: string | null, message: string): Wording {
  return { status, type: "invalid_request_error", code, message };
}
