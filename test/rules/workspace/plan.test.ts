import { describe, expect, it } from "vitest";
import {
  isOverAllowance,
  planNames,
  plans,
  refuseSandbox,
  sandboxLimitMet,
} from "../../../src/rules/workspace/plan.ts";

const hour = 3_600_000;

describe("a plan", () => {
  it("is free, team or enterprise", () => {
    expect(planNames).toEqual(["free", "team", "enterprise"]);
  });

  it.each([
    ["free", 3],
    ["team", 20],
  ] as const)("%s runs at most %i session sandboxes at once", (plan, count) => {
    expect(plans[plan].maxConcurrentSandboxes).toBe(count);
    expect(sandboxLimitMet(plan, { ofWorkspace: count - 1, ofOwner: 0 })).toBe(null);
    expect(sandboxLimitMet(plan, { ofWorkspace: count, ofOwner: 0 })).toBe("workspace");
    expect(sandboxLimitMet(plan, { ofWorkspace: count + 1, ofOwner: 0 })).toBe("workspace");
  });

  it.each([
    ["free", 2, 5, null],
    ["free", 2, 6, "owner"],
    ["free", 3, 6, "workspace"],
    ["team", 2, 600, null],
    ["enterprise", 2, 600, null],
  ] as const)("on %s, with %i in the workspace and %i of its owner's: %s", (plan, ofWorkspace, ofOwner, limit) => {
    expect(sandboxLimitMet(plan, { ofWorkspace, ofOwner })).toBe(limit);
  });

  it("says which limit leaves no room", () => {
    expect(refuseSandbox("workspace")).toMatchObject({ code: "SANDBOX_LIMIT_REACHED" });
    expect(refuseSandbox("owner")).toMatchObject({
      code: "SANDBOX_LIMIT_REACHED",
      message: expect.stringMatching(/^The free workspaces of this workspace's owner run 6 sandboxes together/),
    });
  });

  it("free is blocked once its monthly hours are used up", () => {
    const hours = plans.free.runningHoursPerMonth ?? 0;
    expect(hours).toBeGreaterThan(0);
    expect(isOverAllowance("free", hours * hour - 1)).toBe(false);
    expect(isOverAllowance("free", hours * hour)).toBe(true);
  });

  it("enterprise has no limit and no allowance", () => {
    expect(plans.enterprise).toEqual({
      maxConcurrentSandboxes: null,
      maxSandboxesOfOwner: null,
      runningHoursPerMonth: null,
      sparesPerProject: 2,
    });
    expect(sandboxLimitMet("enterprise", { ofWorkspace: 1_000_000, ofOwner: 1_000_000 })).toBe(null);
    expect(isOverAllowance("enterprise", 1_000_000 * hour)).toBe(false);
  });
});
