// The conditions of a fire: what skips a run, and what refuses it; and the model of a run.
import { describe, expect, it } from "vitest";
import { checkRun, findSkip, type GateFacts, type ProjectFacts } from "../../../src/cron/rules/gate.ts";
import { findModelForRun } from "../../../src/cron/rules/model.ts";
import { catalog } from "../../../src/model/catalog.ts";
import { noSpend } from "../../../src/usage/rules/spend-limit.ts";

const project: ProjectFacts = { id: "p", name: "p", targetBranch: "main", mainSandboxKey: "m" };
const facts: GateFacts = {
  catalog,
  runnable: new Set(["anthropic", "zai"]),
  workspaceDefaultModel: null,
  isSuspended: false,
  isBlockedOnBilling: false,
  workspaceSpend: noSpend,
  projects: [project],
};
const opus = "anthropic:opus__low";
const gpt = "openai:gpt__low";

describe("a run is skipped", () => {
  const inFlight = [{ runId: "r", projectId: "p", isOpen: true, createdAt: 0 }];
  const suspended = "The workspace, or the person whose cron this is, is suspended.";
  const overlap = "The run r of 1970-01-01T00:00:00.000Z was still going in this project.";

  it.each<[string, Parameters<typeof findSkip>, string | null]>([
    ["nothing is in its way", [{ inFlight: [] }, "p", facts], null],
    ["a run of another project has not ended", [{ inFlight }, "q", facts], null],
    ["a run of its project has not ended", [{ inFlight }, "p", facts], overlap],
    [
      "a run is starting",
      [{ inFlight: inFlight.map((run) => ({ ...run, isOpen: false })) }, "p", facts],
      overlap.replace("going", "starting"),
    ],
    ["suspended", [{ inFlight: [] }, "p", { isSuspended: true }], suspended],
    ["suspended, which is said first", [{ inFlight }, "p", { isSuspended: true }], suspended],
  ])("%s", (_, given, reason) => {
    expect(findSkip(...given)).toBe(reason);
  });
});

describe("a run is refused", () => {
  it.each<[string, string | null, ProjectFacts | null, Partial<GateFacts>, string | null]>([
    ["nothing is in its way", null, project, {}, null],
    ["on a model that can be run", opus, project, {}, null],
    ["its project was deleted", null, null, {}, "project_deleted"],
    ["no main sandbox", null, { ...project, mainSandboxKey: null }, {}, "not_deployed"],
    ["no credentials", null, project, { runnable: new Set() }, "no_credentials"],
    ["no credentials, also for a model", opus, project, { runnable: new Set() }, "no_credentials"],
    ["its own model cannot be run", gpt, project, {}, "model_unavailable"],
    ["its own model left the catalog", "anthropic:gone__low", project, {}, "model_unavailable"],
    ["the workspace's default cannot be run, which is no reason", null, project, { workspaceDefaultModel: gpt }, null],
    ["blocked on billing", null, project, { isBlockedOnBilling: true }, "credit_limit_reached"],
    ["spent", null, project, { workspaceSpend: { limitUsd: 1, spentNanoUsd: 1e9 } }, "credit_limit_reached"],
    ["not spent yet", null, project, { workspaceSpend: { limitUsd: 1, spentNanoUsd: 9e8 } }, null],
    ["the first gate says so", gpt, { ...project, mainSandboxKey: null }, { runnable: new Set() }, "not_deployed"],
  ])("%s", (_, model, found, changes, errorCode) => {
    const refusal = checkRun({ model }, found, { ...facts, ...changes });
    expect(refusal?.errorCode ?? null).toBe(errorCode);
    if (refusal) expect(refusal.error).toMatch(/^[A-Z].*\.$/);
  });
});

describe("the model of a run", () => {
  it.each<[string, string | null, Partial<GateFacts>, string | null]>([
    ["the cron's", gpt, { workspaceDefaultModel: opus }, gpt],
    ["the workspace's default", null, { workspaceDefaultModel: opus }, opus],
    ["another one where that cannot be run", null, { workspaceDefaultModel: gpt }, "anthropic:opus__high"],
    ["one that can be run", null, {}, "anthropic:opus__high"],
    ["one of the provider that there is", null, { runnable: new Set(["zai"]) }, expect.stringMatching(/^zai:/)],
    ["none", null, { runnable: new Set() }, null],
  ])("is %s", (_, model, changes, expected) => {
    expect(findModelForRun({ model }, { ...facts, ...changes })).toEqual(expected);
  });
});
