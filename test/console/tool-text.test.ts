// What a tool's row shows, and the foot of a turn.
import type { Schemas, ShownMessage } from "@switchyard/client";
import { expect, test } from "vitest";
import { formatCost, formatSteps, formatTokens, listFootParts, tellTurn } from "../../console/src/conversation/foot.ts";
import {
  cleanOutput,
  compareLines,
  formatInput,
  readChange,
  readLink,
  takeLastLines,
} from "../../console/src/conversation/tool-text.ts";
import type { Job } from "../../console/src/conversation/turns.ts";

const lines = (before: string, after: string) => compareLines(before, after).map(({ sign, text }) => `${sign}${text}`);

test.for<[before: string, after: string, lines: string[]]>([
  ["", "", []],
  ["", "a\nb\n", ["+a", "+b"]],
  ["a\nb", "", ["−a", "−b"]],
  ["a\nb\nc", "a\nx\nc", [" a", "−b", "+x", " c"]],
  ["a\nb\nc\nd", "b\nd\ne", ["−a", " b", "−c", " d", "+e"]],
  ["a", "a\na", [" a", "+a"]],
])("lines of %j and %j", ([before, after, expected]) => {
  expect(lines(before, after)).toEqual(expected);
});

test("texts too long to compare are replaced as a whole, but for their ends", () => {
  const old = Array.from({ length: 500 }, (_, at) => `old ${at}`);
  const changed = compareLines(["same", ...old].join("\n"), ["same", "new"].join("\n"));
  expect([changed.length, changed[0]?.sign, changed.at(-1)?.sign]).toEqual([502, " ", "+"]);
});

test.for<[name: string, input: unknown, status: Schemas["ToolBlock"]["status"], change: [number, number] | null]>([
  ["write", { path: "a", content: "1\n2\n" }, "completed", [2, 0]],
  ["edit", { path: "a", edits: [{ oldText: "1", newText: "2\n3" }] }, "completed", [2, 1]],
  ["edit", { path: "a", oldText: "1", newText: "2" }, "running", [1, 1]],
  ["edit", { path: "a", edits: [{ oldText: "1", newText: "2" }] }, "failed", null],
  ["edit", { path: "a", edits: [{ oldText: 1 }] }, "completed", null],
  ["write", { path: "a" }, "completed", null],
  ["write", null, "completed", null],
  ["bash", { command: "ls", content: "x" }, "completed", null],
])("the change of %s with %j, %s", ([name, input, status, change]) => {
  const found = readChange({ name, input, status });
  expect(found && [found.added, found.removed]).toEqual(change);
});

test.for<[output: string, shown: string]>([
  ["\u001b[31mred\u001b[0m", "red"],
  ["\u001b]0;title\u0007text", "text"],
  ["10 %\r50 %\r100 %\n", "100 %\n"],
  ["a\r\nb\r\n", "a\nb\n"],
  ["a\tb\u0000\u0007", "a\tb"],
])("output %j", ([output, shown]) => {
  expect(cleanOutput(output)).toBe(shown);
});

test("the last lines of an output", () => {
  expect(takeLastLines("1\n2\n3\n4\n", 2)).toBe("3\n4");
  expect(takeLastLines("", 2)).toBe("");
});

test.for<[name: string, title: string, input: unknown, shown: string | null]>([
  ["bash", "ls", { command: "ls", timeout: null }, null],
  ["bash", "List", { command: "ls -la" }, "ls -la"],
  ["read", "a.js", { path: "a.js" }, null],
  ["search", "x", { query: "q", limit: 3 }, "query: q\nlimit: 3"],
  ["other", "x", {}, null],
  ["other", "x", undefined, null],
])("the input of %s %s", ([name, title, input, shown]) => {
  expect(formatInput({ name, title, input })).toBe(shown);
});

test.for<[href: string | undefined, link: string | null]>([
  ["https://example.com/a", "https://example.com/a"],
  ["http://example.com", "http://example.com/"],
  ["mailto:a@example.com", "mailto:a@example.com"],
  ["javascript:alert(1)", null],
  ["JaVaScRiPt:alert(1)", null],
  ["data:text/html,x", null],
  ["/account", null],
  ["//example.com", null],
  [undefined, null],
])("a link to %s", ([href, link]) => {
  expect(readLink(href)).toBe(link);
});

const usage = {
  inputTokens: 17_000,
  cachedTokens: 500,
  outputTokens: 400,
  costUsd: 0.112,
  payer: "workspace",
} as const;
const job = (fields: Partial<Job> = {}): Job => ({
  id: "j",
  status: "completed",
  jobNumber: 1,
  error: null,
  errorCode: null,
  boot: null,
  result: null,
  usage,
  createdAt: "2026-01-01T00:00:00.000Z",
  startedAt: "2026-01-01T00:00:01.000Z",
  completedAt: "2026-01-01T00:00:42.000Z",
  ...fields,
});

test("the foot has what is known", () => {
  expect(listFootParts(job(), "6 steps", "Opus high", 0)).toEqual([
    "6 steps",
    "41 s",
    "18 k tokens",
    "$0.11",
    "Opus high",
  ]);
  expect(listFootParts(job({ usage: { ...usage, costUsd: null } }), "1 step", null, 0)).toEqual([
    "1 step",
    "41 s",
    "18 k tokens",
  ]);
  expect(listFootParts(job({ usage: null, startedAt: null }), null, null, 0)).toEqual([]);
  expect(listFootParts(null, null, null, 0)).toEqual([]);
});

test("steps that were not read are said", () => {
  const tool = { type: "tool" };
  const answer = (blocks: object[], firstBlockIndex: number) =>
    [{ role: "assistant", blocks, firstBlockIndex }] as unknown as ShownMessage[];
  expect(formatSteps(answer([tool], 0))).toBe("1 step");
  expect(formatSteps(answer([tool, tool], 40))).toBe("2+ steps");
  expect(formatSteps(answer([], 0))).toBeNull();
});

test("tokens and money", () => {
  const tokens = (inputTokens: number) => formatTokens({ ...usage, inputTokens, cachedTokens: 0, outputTokens: 0 });
  expect([1, 999, 1_000, 1_400_000].map(tokens)).toEqual(["1 token", "999 tokens", "1 k tokens", "1.4 M tokens"]);
  expect([0, 0.004, 1.5, 1284.456].map(formatCost)).toEqual(["$0.00", "< $0.01", "$1.50", "$1,284.46"]);
});

test("a change of state is said once", () => {
  expect(tellTurn(null, job(), [])).toBe("The turn is done.");
  expect(tellTurn(job({ status: "running" }), job(), [])).toBe("The turn is done.");
  expect(tellTurn(job(), job(), [])).toBeNull();
  expect(tellTurn(job(), job({ status: "failed", error: "Too long." }), [])).toBe("The turn failed. Too long.");
});
