import { expect, it } from "vitest";
import { getPreviewAllowance, type PlanUsage } from "../../../src/preview/rules/preview.ts";

const hourMs = 3_600_000;
const atRest: PlanUsage = { plan: "free", runningMsThisMonth: 0, slotsTaken: 0, slotsOfOwner: 0, slot: null };

it.each<[string, Partial<PlanUsage>, takesSlot: boolean, isAtSandboxLimit: boolean]>([
  ["sleeps, with room left", { slotsTaken: 2 }, true, false],
  ["sleeps, with no room left", { slotsTaken: 3 }, true, true],
  ["sleeps, with the last slot claimed for itself", { slotsTaken: 3, slot: "claimed" }, true, false],
  ["sleeps, with no room left for its owner", { slotsTaken: 1, slotsOfOwner: 6 }, true, true],
  [
    "sleeps, with its owner's last slot claimed for itself",
    { slotsTaken: 1, slotsOfOwner: 6, slot: "claimed" },
    true,
    false,
  ],
  ["starts, with no room left", { slotsTaken: 3, slot: "starting" }, false, false],
  ["runs, with no room left", { slotsTaken: 3, slot: "running" }, false, false],
  ["sleeps, on a plan without a limit", { plan: "enterprise", slotsTaken: 500 }, false, false],
])("the preview of a session whose sandbox %s", (_, usage, takesSlot, isAtSandboxLimit) => {
  expect(getPreviewAllowance({ ...atRest, ...usage }, true)).toEqual({
    isBlockedOnBilling: false,
    takesSlot,
    isAtSandboxLimit,
  });
});

it("the main preview uses no slot", () => {
  const { takesSlot, isAtSandboxLimit } = getPreviewAllowance({ ...atRest, slotsTaken: 3 }, false);
  expect([takesSlot, isAtSandboxLimit]).toEqual([false, false]);
});

it("a workspace that has used up its month is blocked", () => {
  const blocked = (hours: number) =>
    getPreviewAllowance({ ...atRest, runningMsThisMonth: hours * hourMs }, true).isBlockedOnBilling;
  expect([blocked(49), blocked(50)]).toEqual([false, true]);
});
