import { expect, it } from "vitest";
import { type LoginState, listLoginStatuses, listLoginsToTry } from "../../../src/provider-login/rules/login-order.ts";
import { getSubscriptionTrouble } from "../../../src/provider-login/rules/trouble.ts";

const now = Date.UTC(2026, 10, 22, 12, 0);
const minute = 60_000;
const good: LoginState = { needsReauth: false, exhaustedUntil: null };
const over: LoginState = { needsReauth: true, exhaustedUntil: null };
const until = (minutes: number): LoginState => ({ needsReauth: false, exhaustedUntil: now + minutes * minute });

// biome-ignore format: a table is read by its columns.
it.each<[string, LoginState[], number[], string[]]>([
  ["no login",                      [],                            [],     []],
  ["one good login",                [good],                        [0],    ["in_use"]],
  ["good logins",                   [good, good],                  [0, 1], ["in_use", "fallback"]],
  ["a first one at its limit",      [until(5), good, good],        [1, 2], ["limit_reached", "in_use", "fallback"]],
  ["a limit that is past",          [until(-1), good],             [0, 1], ["in_use", "fallback"]],
  ["one to reconnect",              [over, good],                  [1],    ["reconnect_required", "in_use"]],
  ["all at their limits",           [until(9), until(5), until(7)], [1],   ["limit_reached", "limit_reached", "limit_reached"]],
  ["a limit and one to reconnect",  [over, until(5)],              [1],    ["reconnect_required", "limit_reached"]],
  ["one to reconnect with a limit", [{ ...until(5), needsReauth: true }], [], ["reconnect_required"]],
  ["all to reconnect",              [over, over],                  [],     ["reconnect_required", "reconnect_required"]],
])("%s: the order of the logins, and their states", (_, logins, tried, statuses) => {
  expect(listLoginsToTry(logins, now)).toEqual(tried.map((place) => logins[place]));
  expect(listLoginStatuses(logins, now)).toEqual(statuses);
});

it.each([
  ["Mia", [], "subscription_disconnected", /^Mia's OpenAI subscription was disconnected\. Send/],
  ["Mia", [over, over], "subscription_needs_reauth", /^Mia's OpenAI subscription has to be connected again\. Mia /],
  [
    "Mia",
    [over, until(65), until(5)],
    "subscription_limit_reached",
    /^Mia's OpenAI subscription .* until 2026-11-22 12:05 UTC/,
  ],
] as const)("the message of %s about %j", (person, logins, code, message) => {
  const trouble = getSubscriptionTrouble({ providerName: "OpenAI", person, isMember: true, logins }, now);
  expect(trouble).toEqual({ code, message: expect.stringMatching(message) });
});

it("names the user who has left the workspace", () => {
  const left = { providerName: "OpenAI", person: "Mia", isMember: false, logins: [over] };
  const message =
    "Mia has left the workspace, so the OpenAI subscription is no longer used here. Send the message again.";
  expect(getSubscriptionTrouble(left, now)).toEqual({ code: "subscription_disconnected", message });
});
