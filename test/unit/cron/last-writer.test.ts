import { describe, expect, it } from "vitest";
import type { Actor } from "../../../src/access/rules/actor.ts";
import { type CronChanges, createCron } from "../../../src/cron/rules/cron.ts";
import { type FireFacts, fireDue, fireSlot } from "../../../src/cron/rules/fire.ts";
import { type CronWriter, getCronWriter, getRunBounds, getWriterAfter } from "../../../src/cron/rules/last-writer.ts";
import { updateCron } from "../../../src/cron/rules/project-pause.ts";
import { startRun } from "../../../src/cron/rules/run.ts";
import { runNow } from "../../../src/cron/rules/run-now.ts";
import { catalog } from "../../../src/model/catalog.ts";
import { isRefusal } from "../../../src/rules/refusal.ts";
import { noSpend } from "../../../src/usage/rules/spend-limit.ts";
import { byAuthor, byMember, cron as cronAuthor, otherSession } from "../../support/session-state.ts";

const mia: CronWriter = { userId: "mia", as: "person" };
const miasAgent: CronWriter = { userId: "mia", as: "agent" };
const miasRun: CronWriter = { userId: "mia", as: "run" };
const ada: CronWriter = { userId: "ada", as: "person" };
const adasAgent: CronWriter = { userId: "ada", as: "agent" };
const bob: CronWriter = { userId: "bob", as: "person" };

it.each<[string, Actor, CronWriter]>([
  ["a member", byMember("mia"), mia],
  ["the Lead", { ...byMember("mia"), type: "lead" }, miasAgent],
  ["an agent over MCP", { ...byMember("mia"), type: "client-agent", client: null }, miasAgent],
  ["the agent of a session", byAuthor(otherSession, "mia"), miasAgent],
  ["a run", byAuthor(cronAuthor, "mia"), miasRun],
  ["a run that acts for nobody", byAuthor(cronAuthor), { userId: "", as: "run" }],
])("%s writes a cron as what it is", (_, actor, writer) => {
  expect(getCronWriter(actor)).toEqual(writer);
});

describe("the writer of a cron that Mia created", () => {
  const prompt: CronChanges = { prompt: "p" };
  const ofRank: [CronWriter, CronChanges, CronWriter, CronWriter][] = [
    // written last by, change, of whom, then written by
    [mia, prompt, ada, ada],
    [mia, { projects: [] }, ada, ada],
    [mia, { model: null }, ada, ada],
    [mia, prompt, miasAgent, miasAgent],
    [ada, prompt, mia, mia],
    [adasAgent, prompt, ada, ada],
    [miasRun, { model: null, name: "n" }, mia, mia],
    // The agent reads the name and the schedule fires, so both take rights.
    [mia, { name: "n" }, ada, ada],
    [mia, { cronExpression: "c" }, miasAgent, miasAgent],
    [ada, { cronExpression: "c" }, miasRun, miasRun],
    // Neither shows that its sender has read the prompt, so neither gives rights.
    [ada, { name: "n" }, mia, ada],
    [adasAgent, { name: "n", cronExpression: "c" }, mia, adasAgent],
    [ada, { name: "n" }, bob, ada],
    // Pausing and resuming write nothing.
    [mia, { enabled: true }, adasAgent, mia],
    [adasAgent, { enabled: false }, mia, adasAgent],
    [mia, {}, ada, mia],
  ];

  it.each(ofRank)("written by %o, changed by %o of %o, is %o", (writtenBy, changes, by, expected) => {
    expect(getWriterAfter({ createdBy: "mia", writtenBy }, changes, by)).toEqual(expected);
  });
});

const ownBounds = { writer: null, isAskedByAgent: false };

it.each<[string, CronWriter, CronWriter | null, object]>([
  ["its creator, by schedule", mia, null, ownBounds],
  ["its creator, asked for by an admin", mia, ada, ownBounds],
  ["its creator, asked for by her agent", mia, miasAgent, { writer: null, isAskedByAgent: true }],
  ["its creator, asked for by a run", mia, miasRun, { writer: null, isAskedByAgent: true }],
  ["an admin", ada, mia, { writer: ada, isAskedByAgent: false }],
  ["the creator's own agent", miasAgent, null, { writer: miasAgent, isAskedByAgent: false }],
  ["a run", miasRun, adasAgent, { writer: miasRun, isAskedByAgent: true }],
])("the rights of a run of a cron that was written by %s", (_, writtenBy, askedBy, expected) => {
  expect(getRunBounds({ createdBy: "mia", writtenBy }, askedBy)).toEqual(expected);
});

describe("a fire", () => {
  const now = Date.UTC(2027, 0, 1);
  const facts: FireFacts = {
    ...{ zone: "UTC", isSuspended: false, catalog, runnable: new Set(["anthropic"]), workspaceDefaultModel: null },
    ...{ isBlockedOnBilling: false, workspaceSpend: noSpend },
    projects: [{ id: "a", name: "a", targetBranch: "main", mainSandboxKey: "m" }],
  };
  const draft = { name: "of Mia", prompt: "p", cronExpression: "0 3 * * *", model: "anthropic:opus__low" };
  const made = createCron(
    null,
    {
      id: "c",
      workspaceId: "w",
      createdBy: "mia",
      writtenBy: mia,
      zone: "UTC",
      ...draft,
      projects: [{ projectId: "a", name: "a" }],
    },
    now,
  );
  const ids = { fireId: "fire", newRunId: () => "run" };
  function getState<State>(decision: { state: State } | { code: string }): NonNullable<State> {
    if (!("state" in decision) || decision.state === null || decision.state === undefined) throw new Error("refused");
    return decision.state;
  }
  const edited = getState(
    updateCron(getState(made), { changes: { name: "of Ada", prompt: "q" }, zone: "UTC", by: ada }, now),
  );

  it("of a suspended cron is skipped with its reason, and counts as no failure", () => {
    const suspended = { ...facts, isSuspended: true };
    const fired = fireDue(edited, { ...ids, hasFired: () => false }, suspended, edited.cron.dueAt ?? 0);
    expect(fired).toMatchObject({ result: { runs: [{ status: "skipped" }] } });
    expect(getState(fired).projects).toEqual(edited.projects);
  });

  it.each([
    ["by its alarm", fireDue(edited, { ...ids, hasFired: () => false }, facts, edited.cron.dueAt ?? 0), false],
    ["of a slot", fireSlot(edited, { ...ids, slot: null, fired: null }, facts, now), false],
    ["now, for a person", runNow(edited, { ...ids, projectIds: null, by: mia }, facts, now), false],
    ["now, for an agent", runNow(edited, { ...ids, projectIds: null, by: miasAgent }, facts, now), true],
  ])("%s fixes the rights and the name with the prompt, and the run keeps them", (_, decision, isAskedByAgent) => {
    if (isRefusal(decision)) throw new Error(decision.message);
    const opening = decision.effects.find(({ type }) => type === "open-runs");
    if (opening?.type !== "open-runs" || !opening.opens[0]) throw new Error("nothing opens");
    const bounds = { writer: ada, isAskedByAgent };
    expect(opening).toMatchObject({ prompt: "q", opens: [{ cronName: "of Ada", bounds }] });
    const started = { ...opening.opens[0], cronId: "c", workspaceId: "w", createdBy: "mia" };
    const { run } = getState(startRun(null, { ...started, prompt: opening.prompt, messageId: "m" }, now));
    expect(run).toMatchObject({ cronName: "of Ada", bounds });
  });
});
