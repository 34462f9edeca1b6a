// A main sandbox that nobody used for 30 days: what its project decides.
import { expect, test } from "vitest";
import { mayReclaimMain, recordMainReclaimed } from "../../../src/deploy/rules/deleted-main.ts";
import { findShownSandboxKey, type ProjectState } from "../../../src/deploy/rules/project-state.ts";
import { getShownStatus } from "../../../src/deploy/rules/status.ts";
import { liveProject, project } from "../../support/deploy-state.ts";
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
