// What a person who waits for a sandbox reads.
import { expect, test } from "vitest";
import { describeBoot } from "../../console/src/conversation/boot.ts";

const step = (name: string, status: string) => ({ name, status, detail: null, startedAt: "", completedAt: null });
const boot = (...steps: ReturnType<typeof step>[]) => ({ steps }) as Parameters<typeof describeBoot>[0];

test.each([
  [null, "Starting the sandbox"],
  [boot(), "Starting the sandbox"],
  [boot(step("slot", "running")), "Waiting for a place in the workspace"],
  [boot(step("slot", "completed"), step("files", "running")), "Bringing the files of the session"],
  [boot(step("slot", "completed")), "Starting the sandbox"],
  [boot(step("checkout", "failed")), "Checking out the branch, and setting it up: failed, and tried again"],
  [boot(step("moon", "running")), "Starting the sandbox"],
])("%j reads %s", (given, text) => {
  expect(describeBoot(given)).toBe(text);
});
