// The response where only a running sandbox could respond, by the status of its session.
import { expect, test } from "vitest";
import { formatAsleep } from "../../../src/sandbox/rules/owner.ts";

test.each([
  ["backlog", "A session in the Backlog has no sandbox until it is activated."],
  ["active", "The sandbox is not running. Request the preview to wake it, then try again."],
  ["under-review", "The sandbox is not running. Request the preview to wake it, then try again."],
  ["completed", "This session has ended, so it no longer has a sandbox."],
  ["archived", "This session has ended, so it no longer has a sandbox."],
] as const)("of a session that is %s: %s", (status, text) => {
  expect(formatAsleep(status)).toBe(text);
});
