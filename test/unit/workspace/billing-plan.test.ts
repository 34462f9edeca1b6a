import { describe, expect, it } from "vitest";
import { isOverAllowance } from "../../../src/workspace/rules/billing-block.ts";
import {
  findSandboxLimitMet,
  planNames,
  plans,
  refuseSandbox,
  refuseStorage,
} from "../../../src/workspace/rules/billing-plan.ts";

const hour = 3_600_000;
const mebibyte = 1_048_576;
const gibibyte = 1_024 * mebibyte;

describe("a plan", () => {
  it("is free, team or enterprise", () => {
    expect(planNames).toEqual(["free", "team", "enterprise"]);
  });

  it.each([
    ["free", 3],
    ["team", 20],
  ] as const)("%s runs at most %i concurrent session sandboxes", (plan, count) => {
    expect(plans[plan].maxConcurrentSandboxes).toBe(count);
    expect(findSandboxLimitMet(plan, { ofWorkspace: count - 1, ofOwner: 0 })).toBe(null);
    expect(findSandboxLimitMet(plan, { ofWorkspace: count, ofOwner: 0 })).toBe("workspace");
    expect(findSandboxLimitMet(plan, { ofWorkspace: count + 1, ofOwner: 0 })).toBe("workspace");
  });

  it.each([
    ["free", 2, 5, null],
    ["free", 2, 6, "owner"],
    ["free", 3, 6, "workspace"],
    ["team", 2, 600, null],
    ["enterprise", 2, 600, null],
  ] as const)("on %s, with %i in the workspace and %i of its owner's: %s", (plan, ofWorkspace, ofOwner, limit) => {
    expect(findSandboxLimitMet(plan, { ofWorkspace, ofOwner })).toBe(limit);
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

  it("of a higher price stores more", () => {
    const bytes = planNames.map((plan) => plans[plan].maxStorageBytes);
    expect(bytes).toEqual([5 * gibibyte, 200 * gibibyte, 2_048 * gibibyte]);
  });

  it.each([
    ["free", 5 * gibibyte, 1, "5 GiB of the 5 GiB", "0.1 MiB"],
    ["free", 5 * gibibyte - 1, 10 * mebibyte, "5 GiB of the 5 GiB", "10 MiB"],
    ["team", 12.34 * gibibyte, 190 * gibibyte, "12.3 GiB of the 200 GiB", "190 GiB"],
    ["enterprise", 900 * mebibyte, 3_000 * gibibyte, "900 MiB of the 2048 GiB", "3000 GiB"],
  ] as const)("%s that stores %d bytes refuses %d more, and says what to do", (plan, used, more, has, needs) => {
    const message = expect.stringMatching(
      `^The workspace stores ${has} that its plan allows, .* ${needs} more\\. Delete sessions, crons or Prototypes`,
    );
    const details = { usedBytes: used, maxBytes: plans[plan].maxStorageBytes };
    expect(refuseStorage(plan, used, more)).toEqual({ code: "BAD_REQUEST", message, details });
  });

  it("enterprise has no limit of sandboxes and no monthly limit", () => {
    expect(plans.enterprise).toEqual({
      maxConcurrentSandboxes: null,
      maxSandboxesOfOwner: null,
      runningHoursPerMonth: null,
      maxStorageBytes: 2_048 * gibibyte,
      sparesPerProject: 2,
    });
    expect(findSandboxLimitMet("enterprise", { ofWorkspace: 1_000_000, ofOwner: 1_000_000 })).toBe(null);
    expect(isOverAllowance("enterprise", 1_000_000 * hour)).toBe(false);
  });
});
