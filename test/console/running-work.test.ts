// What is read again while a turn runs: after each change of the checkout, but not too often.
import type { Schemas, SessionState } from "@switchyard/client";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { createSparingRead, markRunningWork } from "../../console/src/session/running-work.ts";

type Part = Pick<SessionState, "jobs" | "messages">;

type ToolNow = [name: string, status: Schemas["ToolBlock"]["status"]];

const answer = (jobId: string, ...tools: ToolNow[]) => {
  const blocks = tools.map(([name, status]) => ({ type: "tool", name, status }) as Schemas["ToolBlock"]);
  return { jobId, blocks } as SessionState["messages"][number];
};

/** A turn with these tools, after another one. */
const turn = (status: Schemas["JobStatus"], ...tools: ToolNow[]): Part => ({
  jobs: [{ id: "job_2", status } as Schemas["Job"]],
  messages: [answer("job_1", ["edit", "completed"]), answer("job_2", ...tools)],
});

const begun = markRunningWork(turn("running", ["write", "running"]));

test.each<[string, Part, boolean]>([
  ["the output of a tool", turn("running", ["write", "running"], ["read", "running"]), false],
  ["a tool that only reads", turn("running", ["write", "running"], ["read", "completed"]), false],
  ["a written file", turn("running", ["write", "completed"]), true],
  ["a command that failed", turn("running", ["write", "running"], ["bash", "failed"]), true],
])("the mark of running work changes with %s: %3$s", (_, state, changes) => {
  expect(markRunningWork(state) !== begun).toBe(changes);
});

test("the mark changes when the sandbox of a turn has started, and is empty while none runs", () => {
  expect(markRunningWork(turn("pending"))).toBe("");
  expect(markRunningWork(turn("running"))).not.toBe("");
  expect(markRunningWork(turn("completed", ["write", "completed"]))).toBe("");
  expect(markRunningWork(null)).toBeNull();
});

beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout"] }));
afterEach(() => void vi.useRealTimers());

/** Reads that end when the test says so. */
function countReads() {
  const ends: (() => void)[] = [];
  const read = () => new Promise<void>((resolve) => ends.push(resolve));
  return { ends, sparing: createSparingRead(read, 5_000) };
}

test("a read that is asked for often is made immediately, and then once in each interval", async () => {
  const { ends, sparing } = countReads();
  for (let at = 0; at < 10; at++) sparing.ask();
  expect(ends).toHaveLength(1);
  ends[0]?.();
  await vi.advanceTimersByTimeAsync(4_999);
  expect(ends).toHaveLength(1);
  await vi.advanceTimersByTimeAsync(1);
  expect(ends).toHaveLength(2);
  ends[1]?.();
  await vi.advanceTimersByTimeAsync(60_000);
  expect(ends).toHaveLength(2);
  sparing.ask();
  expect(ends).toHaveLength(3);
});

test("the next read waits for a long one, and none follows after the end", async () => {
  const { ends, sparing } = countReads();
  sparing.ask();
  sparing.ask();
  await vi.advanceTimersByTimeAsync(20_000);
  expect(ends).toHaveLength(1);
  ends[0]?.();
  await vi.advanceTimersByTimeAsync(0);
  expect(ends).toHaveLength(2);
  sparing.ask();
  sparing.stop();
  ends[1]?.();
  await vi.advanceTimersByTimeAsync(20_000);
  expect(ends).toHaveLength(2);
});
