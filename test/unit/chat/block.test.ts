// What becomes of a tool that runs when its turn ends.
import { expect, test } from "vitest";
import { endTool, type ToolBlock } from "../../../src/chat/rules/block.ts";

const tool: ToolBlock = {
  ...{ type: "tool", name: "bash", title: "npm test", input: {}, output: null, fullOutputBytes: null },
  ...{ status: "running", startedAt: "2026-01-01T00:00:00.000Z", completedAt: null },
};

test.each([
  ["failed", true, "failed"],
  ["that ended otherwise", false, "cancelled"],
] as const)("a turn %s leaves it %3$s", (_, hasTurnFailed, status) => {
  const ended = { ...tool, output: "", status, completedAt: "2026-01-01T00:00:05.000Z" };
  expect(endTool(tool, hasTurnFailed, Date.parse("2026-01-01T00:00:05Z"))).toEqual(ended);
});
