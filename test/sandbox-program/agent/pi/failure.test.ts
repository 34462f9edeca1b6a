// What a turn says when its model request failed.
import { expect, test } from "vitest";
import { toFailedEnd, tooLongEnd } from "../../../../sandbox-program/agent/pi/failure.ts";
import { formatAgentFailure } from "../../../../src/cron/rules/run.ts";
import { callFailures } from "../../../../src/model-gateway/rules/failure.ts";

const message = "OpenAI no longer accepts the workspace's login. Its 429 quota has no say in this.";

/** The texts that the clients of the two wires make of an answer. */
const texts = (status: number, error: object) => [
  `${status} ${JSON.stringify({ type: "error", error })}`,
  `openai API error (${status}): ${JSON.stringify(error)}`,
];

test.each(Object.entries(callFailures).filter(([, [status]]) => [401, 403, 424].includes(status)))(
  "%s of the service is shown word for word, in both wire formats",
  (code, [status, type]) => {
    for (const text of texts(status, { type, code, message })) {
      expect(toFailedEnd(text)).toEqual({ type: "failed", error: message, errorCode: code });
    }
  },
);

test.each([
  ["a code of a provider", 429, { type: "rate_limit_error", code: "insufficient_quota" }, "provider_rate_limited"],
  ["a failure that passes", 503, { type: "overloaded_error", code: "login_unavailable" }, "provider_overloaded"],
  ["no code", 401, { type: "authentication_error" }, "provider_unauthorized"],
])("%s leaves the kind to be guessed from the text", (_, status, error, errorCode) => {
  for (const text of texts(status, { ...error, message: "No." }))
    expect(toFailedEnd(text)).toMatchObject({ errorCode });
});

test.each(["ENOSPC: no space left on device, write", "EDQUOT: disk quota exceeded, write"])(
  "a conversation that could not be written says that the disk is full: %s",
  (error) => {
    expect(toFailedEnd(error)).toEqual({
      type: "failed",
      error: "The sandbox's disk is full. Delete what it does not need, and try again.",
      errorCode: null,
    });
  },
);

test("an answer that breaks off is named as that", () => {
  expect(toFailedEnd("terminated")).toMatchObject({
    error: expect.stringMatching(/^The model provider cut off .*\)$/),
  });
});

test.each([
  ["its size", tooLongEnd.type === "failed" ? tooLongEnd.error : "", /Ask for less in the prompt.*a larger window\.$/],
  [
    "a busy provider",
    toFailedEnd("529 overloaded (later)").error,
    /The next fire runs again.* \(529 overloaded \(later\)\)$/,
  ],
  ["a limit", toFailedEnd("429 too many requests").error, /^The workspace's login .* \(429 too many requests\)$/],
  [
    "a broken answer",
    toFailedEnd("terminated").error,
    /stopped sending it\. The next fire runs again.* \(terminated\)$/,
  ],
  [
    "a silent provider",
    "Anthropic did not answer within 4 minutes. Send the message again in a moment, or choose another model.",
    /within 4 minutes\. The next fire runs again/,
  ],
  ["a login", toFailedEnd("401 unauthorized").error, /Ask an owner or admin to connect it again/],
  ["anything else", "It broke. Choose another model.", /^It broke\. Choose another model\.$/],
])("of a cron's run, it advises what the people of the cron can do: %s", (_, error, expected) => {
  expect(formatAgentFailure(error)).toMatch(expected);
  expect(formatAgentFailure(error)).not.toMatch(/\/clear|[Ss]end the message|account settings|add another login/);
});
