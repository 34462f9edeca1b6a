// Which kinds a person wants, and who is notified later than the others.
import { expect, test } from "vitest";
import { isHeld, notificationKinds } from "../../../src/notification/rules/notification.ts";
import { toSwitches, updateKindsOff } from "../../../src/notification/rules/switches.ts";

test("every kind is on until it is switched off", () => {
  expect(Object.values(toSwitches([]))).toEqual(notificationKinds.map(() => true));
  // A kind that no longer exists is ignored.
  expect(toSwitches(["job_failed", "gone"])).toMatchObject({ job_failed: false, webhook_disabled: true });
});

test.each<[off: string[], changes: Parameters<typeof updateKindsOff>[1], after: string[]]>([
  [[], {}, []],
  [[], { job_failed: false }, ["job_failed"]],
  [["job_failed"], {}, ["job_failed"]],
  [["job_failed"], { job_failed: true }, []],
  [["job_failed"], { job_failed: undefined, webhook_disabled: false }, ["job_failed", "webhook_disabled"]],
])("with %j off, %j leaves %j off", (off, changes, after) => {
  expect(updateKindsOff(off, changes)).toEqual(after);
});

test.each<[followers: string[] | undefined, userId: string, now: number, expected: boolean]>([
  [["ada"], "ada", 1_000, true],
  [["ada"], "ada", 3_999, true],
  [["ada"], "ada", 4_000, false],
  [["ada"], "mia", 1_000, false],
  [undefined, "ada", 1_000, false],
])("of the followers %j, %s is held at %i: %s", (followers, userId, now, expected) => {
  expect(isHeld({ at: 1_000, ...(followers && { followers }) } as Parameters<typeof isHeld>[0], userId, now)).toBe(
    expected,
  );
});
