// A workspace that has used up its plan or its spend limit starts no work in a Deploy, and the
// refusal says what to do about either.
import { expect, test } from "vitest";
import type { BillingFacts } from "../../../src/deploy/rules/billing.ts";
import { startDeploy } from "../../../src/deploy/rules/start.ts";
import { noSpend } from "../../../src/usage/rules/spend-limit.ts";
import { project } from "../../support/deploy-state.ts";
import { byMember, now } from "../../support/session-state.ts";

test.each<[string, Partial<BillingFacts>, RegExp]>([
  ["its plan's running time is used up", { isBlockedOnBilling: true }, /running time of its plan .* change the plan/],
  [
    "its spend limit is reached",
    { workspaceSpend: { limitUsd: 5, spentNanoUsd: 5e9 } },
    /spend limit of \$5 .* raise it/,
  ],
])("a workspace starts no Deploy once %s", (_, changes, told) => {
  const facts = { isBlockedOnBilling: false, workspaceSpend: noSpend, ...changes };
  const command = { deployId: "deploy-2", sandboxKey: "m-2", by: byMember(), opening: null };
  expect(startDeploy(project(null), command, facts, now)).toMatchObject({
    code: "CREDIT_LIMIT_REACHED",
    message: expect.stringMatching(told),
  });
});
