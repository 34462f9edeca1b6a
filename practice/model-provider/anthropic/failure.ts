// Failures on the Anthropic Messages wire.
import { addHint, type Failure, type FailureAnswer, limitLastsSeconds } from "../failure.ts";

/** Returns the HTTP response of a failure. */
export function toFailureResponse(failure: Failure): FailureAnswer {
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
      return limitReached(failure.provider);
    case "revoked":
      return answer(401, "authentication_error", "This credential was revoked.");
    case "foreign_reasoning":
      return answer(400, "invalid_request_error", "messages: Invalid `signature` in `thinking` block.");
    case "unauthorized":
      return answer(403, "permission_error", "Your API key does not have permission to use the specified resource.");
    case "unknown_key":
      return answer(401, "authentication_error", addHint("invalid x-api-key", failure));
    case "model_not_included":
      return answer(403, "permission_error", `Your membership does not include the model ${failure.model}.`);
    case "bad_request":
      return answer(400, "invalid_request_error", failure.message);
    case "not_found":
      return answer(404, "not_found_error", `Not found: ${failure.path}`);
  }
}

/** Each provider of this wire has its own wording. */
function limitReached(provider: string): FailureAnswer {
  const resetsAt = Date.now() + limitLastsSeconds * 1_000;
  switch (provider) {
    case "zai": {
      const until = new Date(resetsAt).toISOString().slice(0, 19).replace("T", " ");
      const message = `Usage limit reached for 5 hour. Your limit will reset at ${until}`;
      return {
        status: 429,
        headers: {},
        body: { type: "error", error: { type: "rate_limit_error", code: "1308", message } },
      };
    }
    case "kimi":
      return answer(429, "rate_limit_error", "You've reached your usage limit for this period.", {
        "retry-after": String(limitLastsSeconds),
      });
    default:
      return answer(429, "rate_limit_error", "This request would exceed your account's usage limit.", {
        "retry-after": String(limitLastsSeconds),
        "anthropic-ratelimit-unified-status": "rejected",
        "anthropic-ratelimit-unified-reset": String(Math.floor(resetsAt / 1_000)),
      });
  }
}

function answer(status: number, type: string, message: string, headers: Record<string, string> = {}): FailureAnswer {
  return { status, headers, body: { type: "error", error: { type, message } } };
}
