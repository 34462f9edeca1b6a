// Recovery Deploys, and a live checkout that follows its branch.
import { describe, expect, it } from "vitest";
import {
  type FollowOutcome,
  followAgainMs,
  recordFollowOutcome,
  recordTargetMove,
} from "../../../src/deploy/rules/follow.ts";
import { isHoldingSessions } from "../../../src/deploy/rules/held-sessions.ts";
import type { Deploy, ProjectState } from "../../../src/deploy/rules/project-state.ts";
import { recoverMain, recoveryPauseMs } from "../../../src/deploy/rules/recovery.ts";
import { deploy, project as emptyProject } from "../../support/deploy-state.ts";
import { accepted, now } from "../../support/session-state.ts";

const createDeploy = (changes: Partial<Deploy> = {}) =>
  deploy("deployed", { isPromoted: true, sandboxKey: "m0", completedAt: now, ...changes });
const project = (changes: Partial<ProjectState> = {}): ProjectState => ({
  ...emptyProject(null),
  deploy: createDeploy(),
  liveSandboxKey: "m0",
  ...changes,
});
const command = { deployId: "deploy-2", sandboxKey: "m1", lostKey: "m0" };
const recover = (state: ProjectState, at = now, facts = { isBlockedOnBilling: false }) =>
  accepted(recoverMain(state, command, facts, at));

describe("a live project whose main sandbox is gone", () => {
  it("is recovered by the service, which delays no session and gives the reason", () => {
    const { state, result } = recover(project());
    expect(result).toBe(true);
    expect(state.deploy).toMatchObject({
      trigger: "system",
      status: "creating_sandbox",
      sandboxKey: "m1",
      startedBy: null,
    });
    expect([isHoldingSessions(state), state.liveSandboxKey]).toEqual([false, "m0"]);
    expect(state.says.map(({ content }) => content)).toEqual([expect.stringContaining("was lost")]);
  });

  const lately = { trigger: "system", status: "failed", completedAt: now } as const;
  it.each<[string, Partial<ProjectState>, number, boolean]>([
    ["that was never deployed by itself", { deploy: null }, now, true],
    ["whose newest Deploy was stopped", { deploy: createDeploy({ status: "cancelled" }) }, now, true],
    ["that is being recovered", { deploy: createDeploy({ trigger: "system", status: "warming" }) }, now, false],
    ["that a member deploys", { deploy: createDeploy({ status: "running_agent" }) }, now, false],
    ["that waits for an answer", { deploy: createDeploy({ status: "awaiting_user" }) }, now, false],
    ["whose recovery has just failed", { deploy: createDeploy(lately) }, now + recoveryPauseMs - 1, false],
    ["whose recovery failed ten minutes ago", { deploy: createDeploy(lately) }, now + recoveryPauseMs, true],
    ["in which another sandbox went live meanwhile", { liveSandboxKey: "m9" }, now, false],
    ["that is not live", { liveSandboxKey: null }, now, false],
  ])("%s", (_, changes, at, starts) => {
    expect(recover(project(changes), at).result).toBe(starts);
  });

  it("is not recovered while its workspace is blocked on billing", () => {
    expect(recover(project(), now, { isBlockedOnBilling: true }).result).toBe(false);
  });
});

describe("a live checkout", () => {
  it("follows the Target Branch, and its spares with it, without a Deploy", () => {
    const { state, effects } = accepted(recordTargetMove(project()));
    expect(state.deploy).toEqual(createDeploy());
    expect(effects).toEqual([{ type: "follow-target" }, { type: "tend-pool" }]);
  });

  it("follows after a running turn", () => {
    const { effects } = accepted(recordFollowOutcome(project(), { type: "busy" }, now));
    expect(effects).toEqual([{ type: "remind", name: "follow-target", at: now + followAgainMs }]);
  });

  it("that cannot follow gives the reason once, until it has followed", () => {
    const stuck = { type: "stuck", reason: "README.md is in the way." } as const;
    const first = accepted(recordFollowOutcome(project(), stuck, now)).state;
    expect(first.says.map(({ content }) => content)).toEqual([expect.stringContaining("README.md is in the way.")]);
    const settled = { ...first, says: [] };
    expect(accepted(recordFollowOutcome(settled, stuck, now)).state.says).toEqual([]);
    const freed = accepted(recordFollowOutcome(settled, { type: "followed" }, now)).state;
    expect(accepted(recordFollowOutcome(freed, stuck, now)).state.says).toHaveLength(1);
  });

  it("whose setup fails in the same way says so once, whatever its output", () => {
    const fail = (command: string, end: string, output: string) =>
      ({ type: "stuck", reason: `The setup command \`${command}\` ${end}.\n${output}` }) as const;
    let state = project();
    const says = (outcome: FollowOutcome) => {
      state = accepted(recordFollowOutcome({ ...state, says: [] }, outcome, now)).state;
      return state.says.length;
    };
    expect(says(fail("npm\nci", "ended with exit code 1", "at 1:00"))).toBe(1);
    expect(says(fail("npm\nci", "ended with exit code 1", "at 2:00\n"))).toBe(0);
    expect(says(fail("npm\nci", "ended with exit code 2", "at 2:00\n"))).toBe(1);
    expect(says(fail("npm\ntest", "ended with exit code 2", "at 2:00\n"))).toBe(1);
    expect(says(fail("npm\ntest", "was not done when 8 minutes of setup were over", "at 3:00"))).toBe(1);
    expect(says(fail("npm\ntest", "was not done when 8 minutes of setup were over", ""))).toBe(0);
  });
});
