// A main sandbox that nobody used for 30 days: the decision of the project, and when the sandbox is
// deleted.
import { describe, expect, it, test } from "vitest";
import { findShownSandboxKey, getShownStatus, type ProjectState } from "../../../src/deploy/rules/project-state.ts";
import { mayReclaimMain, recordMainReclaimed } from "../../../src/deploy/rules/unused-main.ts";
import { getMainSandboxOwner } from "../../../src/sandbox/rules/owner.ts";
import { reclaim } from "../../../src/sandbox/rules/reclaim.ts";
import { liveProject, project } from "../../support/deploy-state.ts";
import { changedTo, owner, sandbox } from "../../support/sandbox-state.ts";
import { accepted, now } from "../../support/session-state.ts";

const key = "m-new";

test.each<[string, ProjectState, boolean]>([
  ["deployed", liveProject("deployed"), true],
  ["whose last update was stopped", liveProject("cancelled"), true],
  ["that was live before it had Deploys", { ...project(null), liveSandboxKey: key }, true],
  ["that waits for an answer", liveProject("awaiting_user"), false],
  ["that is being updated", liveProject("updating"), false],
  ["in which another sandbox is live", { ...liveProject("deployed"), liveSandboxKey: "m-newer" }, false],
  ["that is not live", project("failed"), false],
])("a project %s", (_, state, mayGo) => {
  expect(mayReclaimMain(state, key)).toBe(mayGo);
});

test("the project stays live without a sandbox, and says so once", () => {
  const { state, effects } = accepted(recordMainReclaimed(liveProject("deployed"), key, now));
  expect([getShownStatus(state), findShownSandboxKey(state), state.isMainReclaimed]).toEqual(["deployed", null, true]);
  expect(effects).toEqual([{ type: "index-project" }]);
  expect(state.says.map(({ content }) => content)).toEqual([expect.stringContaining("30 days")]);
  expect(accepted(recordMainReclaimed({ ...state, says: [] }, key, now)).state.says).toEqual([]);
  expect(accepted(recordMainReclaimed(liveProject("deployed"), "m-older", now)).state.isMainReclaimed).toBe(false);
});

describe("a sandbox", () => {
  const day = 24 * 60 * 60_000;
  const main = getMainSandboxOwner({ id: owner.projectId, workspaceId: owner.workspaceId, targetBranch: "main" });
  const asleep = sandbox("paused", { owner: main, lastUsedAt: now - 30 * day });

  it("is deleted with its saved work once it was paused and unused for 30 days", () => {
    const { state, answer, effects } = accepted(reclaim(asleep, now));
    expect([state.state, state.archiveKey, answer]).toEqual(["gone", null, { removed: true }]);
    expect(effects).toContainEqual({ type: "destroy", id: state.generation });
    expect(accepted(reclaim(state, now)).answer).toEqual({ removed: true });
  });

  it.each([
    ["used a moment later", { ...asleep, lastUsedAt: now - 30 * day + 1 }, now + 1],
    ["that runs", changedTo(asleep, { state: "running" }), now + 30 * day],
    ["that is being paused", changedTo(asleep, { state: "pausing" }), now + 30 * day],
    ["that has nothing saved", changedTo(asleep, { state: "absent", archiveKey: null }), now + 30 * day],
    ["of a session", { ...asleep, owner }, now + 30 * day],
  ] as const)("%s stays", (_, state, dueAt) => {
    expect(accepted(reclaim(state, now))).toEqual({ state, answer: { removed: false, dueAt }, effects: [] });
  });
});
