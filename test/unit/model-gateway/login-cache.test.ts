import { expect, test } from "vitest";
import { mayKeepLogins } from "../../../src/model-gateway/rules/login-cache.ts";
import { workspacePays } from "../../../src/provider-login/rules/payer.ts";
import { noSpend } from "../../../src/usage/rules/spend-limit.ts";

const key = { kind: "key" as const, needsReauth: false };
const ofWorkspace = { payer: workspacePays, logins: [key], spend: noSpend, isTurnIndexed: true };

test.each([
  ["a workspace's key without a limit", {}, true],
  ["a turn that nobody would find", { isTurnIndexed: false }, false],
  ["a member's key", { payer: { type: "member" as const, userId: "usr_1" } }, false],
  ["a login, which is refreshed", { logins: [{ ...key, kind: "login" as const }] }, false],
  ["a key that its provider has refused", { logins: [{ ...key, needsReauth: true }] }, false],
  ["a missing credential", { logins: [] }, false],
  ["a spend limit", { spend: { limitUsd: 5, spentNanoUsd: 0 } }, false],
])("%s: cached between model calls, %o, %s", (_, changes, isKept) => {
  expect(mayKeepLogins({ ...ofWorkspace, ...changes })).toBe(isKept);
});
