// A sandbox is woken before what needs it; at a limit a person reads why it stays asleep.
import { expect, test } from "vitest";
import { wakeSandbox } from "../../console/src/changes/wake.ts";

const answering = (limits: { sandboxLimitReached?: true; creditLimitReached?: true }) => ({
  preview: {
    awake: async () => ({ frontendUrls: {}, projectId: "p", sandboxKey: "s", awayHoldMs: 0, ...limits }),
  },
});

test("a sandbox that runs is no error", async () => {
  await expect(wakeSandbox(answering({}))).resolves.toBeUndefined();
});

test.each([
  [{ sandboxLimitReached: true }, "As many sandboxes run as may run."],
  [{ creditLimitReached: true }, "The workspace has reached its limit"],
] as const)("at %j the person reads a sentence", async (limits, sentence) => {
  await expect(wakeSandbox(answering(limits))).rejects.toThrow(sentence);
});
