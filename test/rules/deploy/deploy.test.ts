import { expect, it } from "vitest";
import { checkPreviewable, isDeploying } from "../../../src/rules/deploy/deploy.ts";

/** Part 2, "Deploy statuses"; `warming_pool` counts as deployed (decisions, "Deploys"). */
const statuses: [status: string, isAtWork: boolean][] = [
  ["idle", false],
  ["creating_sandbox", true],
  ["starting_services", true],
  ["running_agent", true],
  ["updating", true],
  ["awaiting_user", true],
  ["warming", true],
  ["promoting", true],
  ["warming_pool", false],
  ["deployed", false],
  ["failed", false],
  ["cancelled", false],
];

it.each(statuses)("a project whose Deploy is %s blocks new sandboxes: %s", (status, isAtWork) => {
  expect(isDeploying(status)).toBe(isAtWork);
});

it.each(statuses)("a session's preview of a project whose Deploy is %s", (status, isAtWork) => {
  const isLive = status === "deployed" || status === "warming_pool";
  const refusal = checkPreviewable(status);
  expect(refusal?.code ?? null).toBe(isLive ? null : "BAD_REQUEST");
  if (refusal) expect(refusal.message).toContain(isAtWork ? "is being deployed" : "has to be deployed");
});
