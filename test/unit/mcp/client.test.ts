// The name of a program that calls over MCP, which is a stranger's word.
import { expect, test } from "vitest";
import { readClientName } from "../../../src/mcp/rules/client.ts";

test.each<[named: string | null, header: string | null, name: string | null]>([
  [null, null, null],
  ["Claude Code", null, "Claude Code"],
  ["Claude Code", "bridge/1.0", "Claude Code"],
  [null, "bot/1.0", "bot"],
  [null, "bot", "bot"],
  [null, "/1.0", null],
  [" ", null, null],
  ["a\u001b[31mb\nc", null, "a [31mb c"],
  ["\u{1f600}".repeat(200), null, "\u{1f600}".repeat(100)],
])("%j with the header %j is %j", (named, header, name) => {
  expect(readClientName(named, header)).toBe(name);
});
