// What the page says of a turn that has been silent, and from when it counts.
import { expect, test } from "vitest";
import { countContent, describeSilence, failsAfterMs, findNewestTime } from "../../console/src/conversation/silence.ts";
import { getServiceNow, recordServiceTime } from "../../console/src/ui/clock.ts";
import type { Schemas } from "../../packages/client/src/generated/api.ts";
import { turnSilenceMs } from "../../src/rules/limits.ts";

const at = (seconds: number) => new Date(Date.UTC(2026, 10, 25, 10) + seconds * 1_000).toISOString();
const begin = Date.parse(at(0));
const text = (content: string): Schemas["Block"] => ({ type: "text", content });
const tool = (more: Partial<Schemas["ToolBlock"]>): Schemas["Block"] => ({
  ...{ type: "tool", name: "bash", title: "ls", input: {}, output: null, fullOutputBytes: null },
  ...{ status: "completed", startedAt: at(10), completedAt: at(12), ...more },
});

test("the page names the limit of the service", () => {
  expect(failsAfterMs).toBe(turnSilenceMs);
});

test.each<[what: string, event: number, sign: number | null, isToolRunning: boolean, words: string | null]>([
  ["a short silence", 29, null, false, null],
  ["a silent model, before the service was asked", 34, null, false, "Nothing new from the model for 34 s."],
  [
    "a silent model in a sandbox that is alive",
    94,
    4,
    false,
    "Nothing new from the model for 1 min 34 s. Its sandbox is alive.",
  ],
  ["a silent tool in a sandbox that is alive", 94, 4, true, null],
  ["nothing at all", 94, 34, false, "No sign of life for 34 s. It fails at 120 s."],
  ["nothing at all while a tool runs", 94, 34, true, "No sign of life for 34 s. It fails at 120 s."],
  ["an event after the last sign that was asked for", 5, 40, false, null],
])("%s", (_, event, sign, isToolRunning, words) => {
  const now = begin;
  const lastSignAt = sign === null ? null : now - sign * 1_000;
  expect(describeSilence({ now, lastEventAt: now - event * 1_000, lastSignAt, isToolRunning })).toBe(words);
});

test.each<[what: string, messages: Parameters<typeof findNewestTime>[1], seconds: number]>([
  ["the start of the turn", [], 1],
  ["its newest message", [{ createdAt: at(5), blocks: [text("a")] }], 5],
  ["the end of a tool", [{ createdAt: at(5), blocks: [tool({}), text("a")] }], 12],
  ["the start of a tool that runs", [{ createdAt: null, blocks: [tool({ completedAt: null })] }], 10],
])("an opened page counts from %s", (_, messages, seconds) => {
  expect(findNewestTime({ createdAt: at(0), startedAt: at(1) }, messages)).toBe(begin + seconds * 1_000);
});

test("only what came is counted as new, not that it was read again", () => {
  const read = () => [{ blocks: [text("a"), tool({ status: "running", output: "b" })] }];
  expect(countContent(read())).toBe(countContent(read()));
  for (const newer of [tool({ status: "running", output: "bc" }), tool({ output: "b" })])
    expect(countContent([{ blocks: [text("a"), newer] }])).not.toBe(countContent(read()));
  expect(countContent([{ blocks: [text("a")] }])).not.toBe(countContent([{ blocks: [text("ab")] }]));
});

test("a browser whose clock differs counts by the clock of the service", () => {
  const aheadMs = () => Math.round((getServiceNow() - Date.now()) / 1_000) * 1_000;
  recordServiceTime(new Date(begin).toUTCString(), begin + 900);
  expect(aheadMs()).toBe(0);
  recordServiceTime(new Date(begin + 90_000).toUTCString(), begin);
  expect(aheadMs()).toBe(90_000);
  recordServiceTime(null);
  expect(aheadMs()).toBe(90_000);
  recordServiceTime(new Date(begin).toUTCString(), begin);
  expect(aheadMs()).toBe(0);
});
