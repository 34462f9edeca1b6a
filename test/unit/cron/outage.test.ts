// A fire after an outage: every slot of the last day has a row in every project.
import { expect, test } from "vitest";
import { createCron } from "../../../src/cron/rules/cron.ts";
import { type FireFacts, fireDue } from "../../../src/cron/rules/fire.ts";
import { catalog } from "../../../src/model/catalog.ts";
import { noSpend } from "../../../src/usage/rules/spend-limit.ts";
import { accepted } from "../../support/session-state.ts";

const hour = 3_600_000;
const projectCount = 200;
const ids = Array.from({ length: projectCount }, (_, place) => `project-${place}`);
const facts: FireFacts = {
  ...{
    zone: "UTC",
    isSuspended: false,
    catalog,
    runnable: new Set(["anthropic"] as const),
    workspaceDefaultModel: null,
  },
  ...{ isBlockedOnBilling: false, workspaceSpend: noSpend },
  projects: ids.map((id) => ({ id, name: id, targetBranch: "main", mainSandboxKey: `m${id}` })),
};

test("the skipped runs of many projects are effects that storage can hold", () => {
  const at = Date.UTC(2027, 0, 1);
  const record = { id: "c", workspaceId: "w", createdBy: "u", writtenBy: { userId: "u", as: "person" } as const };
  const draft = { name: "n", prompt: "p", cronExpression: "*/15 * * * *", model: "anthropic:opus__low", zone: "UTC" };
  const projects = ids.map((projectId) => ({ projectId, name: projectId }));
  const created = accepted(createCron(null, { ...record, ...draft, projects }, at));
  const { cron } = created.state ?? {};
  if (!created.state || !cron?.dueAt) throw new Error("no cron");
  let next = 0;
  const command = { fireId: "fire", newRunId: () => `run-${next++}`, hasFired: () => false };
  // A late fire is spread once more.
  const spread = accepted(fireDue(created.state, command, facts, at + 24 * hour));
  if (!spread.state) throw new Error("no cron");
  const { effects, result } = accepted(fireDue(spread.state, command, facts, spread.state.cron.dueAt ?? 0));
  const openings = effects.filter((effect) => effect.type === "open-runs");
  const bytes = openings.map((opening) => new TextEncoder().encode(JSON.stringify(opening)).length);
  expect(Math.max(...bytes)).toBeLessThan(2_000_000);
  expect(new Set(openings.map(({ id }) => id)).size).toBe(openings.length);
  expect(openings.flatMap(({ opens }) => opens)).toHaveLength(projectCount);
  const skipped = openings.flatMap(({ ends }) => ends);
  expect(new Set(skipped.map(({ projectId, slot }) => `${projectId} ${slot}`)).size).toBe(skipped.length);
  expect(skipped).toHaveLength(95 * projectCount);
  expect(result).toMatchObject({ type: "fired", runs: { length: 96 * projectCount } });
});
