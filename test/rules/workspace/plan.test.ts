import { describe, expect, it } from "vitest";
import { isAtSandboxLimit, isOverAllowance, planNames, plans } from "../../../src/rules/workspace/plan.ts";

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
    expect(isAtSandboxLimit(plan, count - 1)).toBe(false);
    expect(isAtSandboxLimit(plan, count)).toBe(true);
    expect(isAtSandboxLimit(plan, count + 1)).toBe(true);
  });

  it("free is blocked once its monthly hours are used up", () => {
    const hours = plans.free.runningHoursPerMonth ?? 0;
    expect(hours).toBeGreaterThan(0);
    expect(isOverAllowance("free", hours * hour - 1)).toBe(false);
    expect(isOverAllowance("free", hours * hour)).toBe(true);
  });

  it("enterprise has no limit and no allowance", () => {
    expect(plans.enterprise).toEqual({ maxConcurrentSandboxes: null, runningHoursPerMonth: null, sparesPerProject: 2 });
    expect(isAtSandboxLimit("enterprise", 1_000_000)).toBe(false);
    expect(isOverAllowance("enterprise", 1_000_000 * hour)).toBe(false);
  });
});
