import { describe, expect, it } from "vitest";
import { checkKey, formatMaskedKey } from "../../../src/provider-login/rules/pasted-key.ts";

const key = "sk-practice-of-somebody-3kJ9vT0bYcR5";

describe("the trial of a key", () => {
  it.each<[number | null, string | null]>([
    [200, null],
    [429, null],
    [400, "BAD_REQUEST"],
    [401, "BAD_REQUEST"],
    [402, "BAD_REQUEST"],
    [403, "BAD_REQUEST"],
    [404, "BAD_REQUEST"],
    [302, "SERVICE_UNAVAILABLE"],
    [408, "SERVICE_UNAVAILABLE"],
    [500, "SERVICE_UNAVAILABLE"],
    [529, "SERVICE_UNAVAILABLE"],
    [null, "SERVICE_UNAVAILABLE"],
  ])("with the response %s has the result %s", (status, code) => {
    expect(checkKey("Anthropic", key, { status, reason: "", exhaustedUntil: null })?.code ?? null).toBe(code);
  });

  it("that is at its limit, in any wording of its provider, is valid", () => {
    expect(checkKey("Anthropic", key, { status: 400, reason: "credits", exhaustedUntil: 1 })).toBeNull();
  });

  it("reports the provider's reason, and never the key", () => {
    const reason = `Incorrect API key: ${key}. ${"x".repeat(1_000)}`;
    const message = checkKey("OpenAI", key, { status: 401, reason, exhaustedUntil: null })?.message ?? "";
    expect(message).toMatch(/^OpenAI refuses this key: Incorrect API key: the key\. x/);
    expect(message.length).toBeLessThan(400);
  });
});

it.each([
  [key, "sk-p…YcR5"],
  ["sk-0123456789abcdef", "sk…cdef"],
  ["0123456789", "0…"],
  ["abc", "…"],
])("%s is shown as %s", (apiKey, shown) => {
  expect(formatMaskedKey(apiKey)).toBe(shown);
});
