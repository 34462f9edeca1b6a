// A sandbox is woken before what needs it; at a limit a person reads why it stays asleep.
import { type ErrorCode, SwitchyardError } from "@switchyard/client";
import { expect, test } from "vitest";
import { wakeSandbox } from "../../console/src/changes/wake.ts";

const running = { frontendUrls: {}, projectId: "p", sandboxKey: "s", awayHoldMs: 0 };

const refusing = (code: ErrorCode) => ({
  preview: {
    awake: async () => {
      const failure = { code, details: undefined } as SwitchyardError["failure"];
      const known = {
        status: 409,
        requestId: null,
        retryAfterMs: null,
        operation: "GET /api/projects/{projectId}/preview",
      };
      throw new SwitchyardError("No.", { failure, ...known });
    },
  },
});

test("a sandbox that runs is no error", async () => {
  await expect(wakeSandbox({ preview: { awake: async () => running } })).resolves.toBeUndefined();
});

test.each([
  ["SANDBOX_LIMIT_REACHED", "The limit of running sandboxes is reached."],
  ["CREDIT_LIMIT_REACHED", "The workspace has reached its limit"],
  ["NOT_FOUND", "No."],
] as const)("after %s the person reads a sentence", async (code, sentence) => {
  await expect(wakeSandbox(refusing(code))).rejects.toThrow(sentence);
});
