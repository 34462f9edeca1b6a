import { describe, expect, it } from "vitest";
import { maySignUp, maySignUpBy, readSignUp } from "../../../src/account/rules/sign-up.ts";

describe("who may sign up", () => {
  it.each<[string | undefined, boolean]>([
    [undefined, true],
    ["*", true],
    ["grace, *", true],
    ["", false],
    ["ada", true],
    ["grace,ADA", true],
    ["grace", false],
    ["adam", false],
    ["org:ada", false],
    ["a*", false],
  ])("by %j Ada: %s", (setting, may) => {
    expect(maySignUp(readSignUp(setting), "Ada")).toBe(may);
  });

  it.each<[string, string[], boolean]>([
    ["org:Acme", ["acme"], true],
    ["grace, org:acme", ["other", "ACME"], true],
    ["acme", ["acme"], false],
    ["org:acme", ["acme-labs"], false],
    ["org:acme", [], false],
  ])("by %j a member of %j: %s", (setting, memberships, may) => {
    expect(maySignUpBy(readSignUp(setting), memberships)).toBe(may);
  });

  it.each([
    ["ada lovelace", ["ada lovelace"]],
    ["https://example.com/ada, org:", ["https://example.com/ada", "org:"]],
    ["ada, org:acme, *", []],
  ])("%j has the malformed entries %j", (setting, malformed) => {
    expect(readSignUp(setting).malformed).toEqual(malformed);
  });
});
