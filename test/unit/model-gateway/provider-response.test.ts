// The table of a provider's responses before any output.
import { expect, it } from "vitest";
import { findLimitPause, getCallVerdict } from "../../../src/model-gateway/rules/provider-response.ts";

const now = Date.UTC(2026, 10, 22, 12, 0);
const second = 1_000;
const minute = 60 * second;
const day = 24 * 60 * minute;

const reauth = { mark: { type: "needs-reauth" }, next: "another-login" };
const passOn = { mark: null, next: "pass-on" };
const next = { mark: null, next: "another-login" };
const again = { mark: null, next: "without-reasoning" };
const limit = (ms: number) => ({ mark: { type: "exhausted", until: now + ms }, next: "another-login" });
const inSeconds = (seconds: number) => ({ "retry-after": String(seconds) });

// biome-ignore format: a table is read by its columns.
it.each<[string, number, object, Record<string, string>, object]>([
  ["a key that is refused",            401, { message: "invalid x-api-key" }, {}, reauth],
  ["a key that was revoked",           403, { message: "This API key was revoked." }, {}, reauth],
  ["an account that was disabled",     403, { message: "Your organization has been disabled." }, {}, reauth],
  ["a key that has expired",           403, { message: "The key expired." }, {}, reauth],
  ["a model not in the plan",          403, { message: "Your plan does not include this model." }, {}, next],
  ["a payment that is due",            402, { message: "Payment required" }, {}, limit(5 * minute)],
  ["a usage limit",                    429, { type: "usage_limit_reached", message: "The usage limit has been reached" }, {}, limit(5 * minute)],
  ["a usage limit in a 400",           400, { message: "You have reached your specified API usage limits." }, {}, limit(5 * minute)],
  ["a quota",                          429, { code: "insufficient_quota", message: "You exceeded your current plan." }, {}, limit(5 * minute)],
  ["credits",                          400, { message: "Your credit balance is too low" }, {}, limit(5 * minute)],
  ["a balance in a 403",               403, { message: "Insufficient balance" }, {}, limit(5 * minute)],
  ["a limit far away",                 429, { message: "Too many requests" }, inSeconds(60), limit(minute)],
  ["a limit that passes soon",         429, { message: "Too many requests" }, inSeconds(59), next],
  ["a rate limit without a time",      429, { type: "rate_limit_error", message: "Number of requests" }, {}, next],
  ["reasoning of another account",     400, { code: "invalid_encrypted_content", message: "x" }, {}, again],
  ["the same without its code",        400, { code: null, message: "The encrypted content gAAA could not be verified." }, {}, again],
  ["a wrong request",                  400, { message: "max_tokens: too large" }, {}, passOn],
  ["an unknown model",                 404, { message: "quota" }, {}, passOn],
  ["a timeout",                        408, { message: "quota" }, {}, passOn],
  ["a broken provider",                500, { message: "quota" }, {}, passOn],
  ["an overloaded one",                529, { message: "quota" }, {}, passOn],
  ["a good answer",                    200, { message: "quota" }, {}, passOn],
])("%s", (_, status, error, headers, verdict) => {
  const answer = { status, header: (name: string) => headers[name] ?? null, text: JSON.stringify({ error }) };
  expect(getCallVerdict(answer, now)).toEqual(verdict);
});

it("a text that is no provider's error says nothing about quotas", () => {
  expect(getCallVerdict({ status: 403, header: () => null, text: "<p>quota</p>" }, now)).toEqual(next);
});

const at = (ms: number) => String((now + ms) / second);

// biome-ignore format: a table is read by its columns.
it.each<[string, object, Record<string, string>, number]>([
  ["the header of a subscription",  {}, { "anthropic-ratelimit-unified-reset": at(3 * day), "retry-after": "90" }, 3 * day],
  ["retry-after in seconds",        {}, { "retry-after": "600" }, 10 * minute],
  ["retry-after as a date",         {}, { "retry-after": new Date(now + 10 * minute).toUTCString() }, 10 * minute],
  ["a time in the body",            { resets_at: (now + 7 * minute) / second }, {}, 7 * minute],
  ["seconds in the body",           { resets_in_seconds: 480 }, {}, 8 * minute],
  ["a time in words",               { message: "usage limit, resets at 2026-11-22 12:30:00" }, {}, 30 * minute],
  ["a time in ISO 8601",            { message: "usage limit until 2026-11-22T12:30:00.000Z." }, {}, 30 * minute],
  ["nothing",                       {}, {}, 5 * minute],
  ["too soon a time",               { resets_in_seconds: 3 }, {}, minute],
  ["a time that is past",           { resets_at: (now - day) / second }, {}, minute],
  ["too late a time",               { resets_in_seconds: 90 * day }, {}, 31 * day],
])("a limit lasts as long as %s says", (_, error, headers, ms) => {
  const text = JSON.stringify({ error: { message: "quota", ...error } });
  const answer = { status: 429, header: (name: string) => headers[name] ?? null, text };
  expect(getCallVerdict(answer, now)).toEqual(limit(ms));
});

// biome-ignore format: a table is read by its columns.
it.each<[string, number, Record<string, string>, number | null]>([
  ["a limit that passes soon",     429, inSeconds(59), 59 * second],
  ["the same as a date",           429, { "retry-after": new Date(now + 5 * second).toUTCString() }, 5 * second],
  ["a limit that is over",         429, inSeconds(-1), 0],
  ["a limit far away",             429, inSeconds(60), null],
  ["a limit without a time",       429, {}, null],
  ["an end that nobody can read",  429, { "retry-after": "soon" }, null],
  ["another failure",              503, inSeconds(5), null],
])("the agent's wait for %s", (_, status, headers, ms) => {
  expect(findLimitPause({ status, header: (name) => headers[name] ?? null }, now)).toBe(ms);
});
