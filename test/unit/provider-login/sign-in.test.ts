import { describe, expect, test } from "vitest";
import { parsePastedCode } from "../../../src/provider-login/rules/pasted-code.ts";
import {
  findEndedAnswer,
  getAttemptExpiry,
  getOwnAttempt,
  type SignInClaim,
} from "../../../src/provider-login/rules/sign-in.ts";
import { isRefusal } from "../../../src/rules/refusal.ts";

// biome-ignore format: a table is read by its columns.
test.each<[what: string, pasted: string, code: string | null]>([
  ["the code alone",                        "c0de",                                            "c0de"],
  ["with spaces around it",                 "  c0de\n",                                        "c0de"],
  ["with the state",                        "c0de#st4te",                                      "c0de"],
  ["with another sign-in's state",          "c0de#other",                                      null],
  ["with an empty state",                   "c0de#",                                           null],
  ["the whole address",                     "https://provider.test/cb?code=c0de&state=st4te",  "c0de"],
  ["an address of a denied sign-in",        "https://provider.test/cb?error=no&state=st4te",   null],
  ["an address with another state",         "https://provider.test/cb?code=c0de&state=other",  null],
  ["an address without a state",            "http://127.0.0.1/cb?code=c0de",                   null],
  ["a code that is encoded in the address", "https://provider.test/cb?code=a%2Fb&state=st4te", "a/b"],
  ["nothing",                               " ",                                               null],
])("what a person copies from the browser: %s", (_, pasted, code) => {
  expect(parsePastedCode(pasted, "st4te")).toBe(code);
});

const claim: SignInClaim = { owner: { type: "member", id: "mia" }, provider: "anthropic", callerId: "mia" };

// biome-ignore format: a table is read by its columns.
test.each<[what: string, attempt: SignInClaim | null, isOwn: boolean]>([
  ["one's own",                     claim,                                                      true],
  ["an unknown one",                null,                                                       false],
  ["one at another provider",       { ...claim, provider: "openai" },                           false],
  ["one of another caller",         { ...claim, callerId: "otto" },                             false],
  ["one of a workspace",            { ...claim, owner: { type: "workspace", id: "mia" } },      false],
  ["one for another's subscription", { ...claim, owner: { type: "member", id: "otto" } },       false],
])("a login token finishes %s: or not", (_, attempt, isOwn) => {
  expect(isRefusal(getOwnAttempt(attempt, claim))).toBe(!isOwn);
});

describe("a sign-in that has ended", () => {
  test.each([
    ["connected", 1, { authenticated: true }],
    ["restart", 1, { authenticated: false, restart: true }],
    ["full", 1, expect.objectContaining({ code: "PROVIDER_LOGIN_LIMIT" })],
    [null, 1, null],
    [null, 0, { authenticated: false, restart: true }],
    // A repeated request gets the same response, also after the end.
    ["connected", 0, { authenticated: true }],
  ] as const)("%s, %s ms before its expiry", (outcome, left, answer) => {
    expect(findEndedAnswer({ outcome, expiresAt: 1_000 + left }, 1_000)).toEqual(answer);
  });

  test("lives 15 minutes, or less where the provider says so", () => {
    expect([getAttemptExpiry(0), getAttemptExpiry(0, 3_600_000), getAttemptExpiry(0, 60_000)]).toEqual([
      900_000, 900_000, 60_000,
    ]);
  });
});
