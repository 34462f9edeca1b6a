// The log of a run: its phases, the program's lines, and its end.
import { expect, test } from "vitest";
import { formatRunLog, getNewestLines } from "../../../src/cron/rules/run-log.ts";

const run: Parameters<typeof formatRunLog>[0] = {
  projectName: "Demo",
  model: "acme/large",
  mainSandboxKey: "main-1",
  status: "running",
  error: null,
  startError: null,
  mainWokenAt: null,
  credentialsReadyAt: null,
  agentRequestedAt: null,
  createdAt: 0,
  completedAt: null,
};
const queued = "1970-01-01T00:00:00.000Z queued for Demo, on acme/large\n";
const phases = { mainWokenAt: 1, credentialsReadyAt: 2, agentRequestedAt: 3 };

test.each<[string, Partial<typeof run>, number | null, string[], string]>([
  ["only its start", {}, null, [], queued],
  [
    "each phase, then the lines",
    phases,
    4,
    ["a", "b\nc"],
    `${queued}1970-01-01T00:00:00.001Z main sandbox main-1 runs
1970-01-01T00:00:00.002Z credentials ready
1970-01-01T00:00:00.003Z agent requested
1970-01-01T00:00:00.004Z first event
a
b ⏎ c
`,
  ],
  ["a failed start", { startError: "No disk." }, null, [], `${queued}the last start failed: No disk.\n`],
  ["its end", { status: "succeeded", completedAt: 9 }, null, ["a"], `${queued}a\n1970-01-01T00:00:00.009Z succeeded\n`],
  [
    "why it failed",
    { status: "failed", error: "It broke.", completedAt: 9 },
    null,
    [],
    `${queued}1970-01-01T00:00:00.009Z failed: It broke.\n`,
  ],
])("a log has %s", (_, changes, firstEventAt, lines, log) =>
  expect(formatRunLog({ ...run, ...changes }, firstEventAt, lines)).toBe(log),
);

test.each<[string, string, number, string]>([
  ["everything that fits", "a\nbb\n", 5, "a\nbb\n"],
  ["the newest lines", "a\nbb\n", 4, "bb\n"],
  ["no part of a line", "abcdef\n", 4, ""],
])("of a log is stored %s", (_, text, limit, kept) => expect(getNewestLines(text, limit)).toBe(kept));
