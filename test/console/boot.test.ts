// What a person who waits for a sandbox reads.
import { expect, test } from "vitest";
import { describeBoot, takeSetupLines } from "../../console/src/conversation/boot.ts";

const step = (name: string, status: string) => ({ name, status, detail: null, startedAt: "", completedAt: null });
const boot = (...steps: ReturnType<typeof step>[]) => ({ steps, logEnd: null }) as Parameters<typeof describeBoot>[0];

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

test.each([
  [null, null],
  ["", null],
  ["\n", null],
  ["fetched 10%\rfetched 90%", "fetched 90%"],
  ["\u001b[32madded\u001b[0m 3 packages\n", "added 3 packages"],
  [Array.from({ length: 12 }, (_, line) => `line ${line}`).join("\n"), /^line 4\n[\s\S]*line 11$/],
])("of a setup that printed %j, its last lines are shown", (logEnd, text) => {
  const shown = takeSetupLines({ steps: [], logEnd });
  if (text instanceof RegExp) expect(shown).toMatch(text);
  else expect(shown).toBe(text);
});
