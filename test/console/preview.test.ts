// The rules of a preview: its state by what was read, and the next time to ask.
import { expect, test } from "vitest";
import {
  describeCrash,
  endOfLog,
  findPreviewError,
  joinLog,
  judgeFrame,
  judgePreview,
  keepHealth,
  nextHealthWaitMs,
} from "../../console/src/preview/health.ts";

const urls = { web: "http://web.example/" };
const preview = { frontendUrls: urls };
const health = {
  state: "healthy" as const,
  services: [],
  frontendUrls: urls,
  paused: false,
  needsStart: false,
  indeterminate: false,
};

const ended = { name: "web", httpResult: "not_healthy" as const, crash: { how: "exited 1", logEnd: "Error: boom" } };

test.each<[Parameters<typeof judgePreview>[0], Parameters<typeof judgePreview>[1], string]>([
  [null, null, "unknown"],
  [preview, null, "unknown"],
  [{ frontendUrls: {}, provisioning: true as const }, null, "starting"],
  [{ frontendUrls: {}, creditLimitReached: true as const }, null, "credit-limit"],
  [{ frontendUrls: {}, sandboxLimitReached: true as const }, { ...health, indeterminate: true }, "sandbox-limit"],
  [preview, health, "healthy"],
  [{ frontendUrls: {}, sandboxLimitReached: true as const }, health, "healthy"],
  [preview, { ...health, sandboxLimitReached: true as const, needsStart: true }, "sandbox-limit"],
  [preview, { ...health, paused: true }, "asleep"],
  [preview, { ...health, needsStart: true, frontendUrls: {} }, "asleep"],
  [preview, { ...health, state: "starting" as const }, "starting"],
  [preview, { ...health, state: "starting" as const, services: [ended] }, "crashed"],
  [preview, { ...health, state: "starting" as const, services: [ended], paused: true }, "asleep"],
  [preview, { ...health, frontendUrls: {} }, "none"],
  [preview, { ...health, paused: true, indeterminate: true }, "unknown"],
])("%j and %j: %s", (read, asked, state) => {
  expect(judgePreview(read, asked, 9)).toBe(state);
});

const unknown = { ...health, state: "starting" as const, frontendUrls: {}, indeterminate: true };
test.each([
  ["a healthy app stays as it was", health, unknown, health],
  ["a paused one may have changed", { ...health, paused: true }, unknown, unknown],
  ["the first one counts", undefined, unknown, unknown],
  ["a known one counts", health, { ...health, paused: true }, { ...health, paused: true }],
])("after a read of the health, %s", (_, before, read, kept) => {
  expect(keepHealth(before, read)).toEqual(kept);
});

test.each([
  ["an app that starts has no page", "none", "starting", true, "none"],
  ["an app that has started is shown", "none", "healthy", true, "current"],
  ["an app that starts again leaves its page", "current", "starting", true, "starting"],
  ["a page from before stays until it is loaded again", "starting", "healthy", true, "restarted"],
  ["a page from before stays when nothing changes", "restarted", "healthy", true, "restarted"],
  ["a second start leaves it, too", "restarted", "starting", true, "starting"],
  ["an app that crashes has no page at first", "none", "crashed", true, "none"],
  ["an app that crashes later leaves its page", "current", "crashed", true, "crashed"],
  ["an app that crashes is started again", "crashed", "starting", true, "starting"],
  ["an app that was fixed is loaded again by the person", "crashed", "healthy", true, "restarted"],
  ["an app that sleeps has no page", "current", "asleep", true, "none"],
  ["an app without an address has no page", "current", "starting", false, "none"],
] as const)("%s", (_, before, state, hasAddress, page) => {
  expect(judgeFrame(before, state, hasAddress)).toBe(page);
});

test.each([
  ["starting", 0, 1_000],
  ["starting", 1, 1_500],
  ["starting", 2, 2_000],
  ["starting", 3, 3_000],
  ["unknown", 9, 5_000],
  ["crashed", 9, 5_000],
  ["healthy", 0, 15_000],
  ["asleep", 3, 15_000],
  ["none", 0, null],
  ["credit-limit", 0, null],
] as const)("%s, asked %i times: in %s ms", (state, asked, ms) => {
  expect(nextHealthWaitMs(state, asked)).toBe(ms);
});

test("a sandbox that was just woken is starting, though it still says that it is paused", () => {
  const woken = { frontendUrls: {}, provisioning: true as const };
  expect(judgePreview(woken, { ...health, paused: true }, 2)).toBe("starting");
  expect(judgePreview(woken, { ...health, paused: true }, 8)).toBe("asleep");
});

test.each([
  ["the first part", null, { log: "a\n", offset: "x.2", isCut: false }, "a\n"],
  ["what was written since", { text: "a\n", offset: "x.2" }, { log: "b", offset: "x.3", isCut: false }, "a\nb"],
  ["nothing new", { text: "a\n", offset: "x.2" }, { log: "", offset: "x.2", isCut: false }, "a\n"],
  ["another log", { text: "a\n", offset: "x.2" }, { log: "c", offset: "y.1", isCut: true }, "c"],
  [
    "a log of a service that had not started",
    { text: "", offset: null },
    { log: "c", offset: "y.1", isCut: false },
    "c",
  ],
])("a log is joined with %s", (_, before, part, text) => {
  expect(joinLog(before, part)).toEqual({ text, offset: part.offset });
});

test("a log shows its end", () => {
  const log = Array.from({ length: 300 }, (_, at) => `line ${at + 1}`).join("\n");
  expect(endOfLog(`${log}\n\n`).split("\n").slice(0, 1)).toEqual(["line 101"]);
});

test("a message about a crash has the last lines, which end nothing in it", () => {
  expect(describeCrash("web", { how: "exited 1", logEnd: "```\nError: boom" })).toBe(
    "The service web crashes (exited 1). Its last lines:\n\n    ```\n    Error: boom",
  );
  expect(describeCrash("web", { how: "exited 1", logEnd: "" })).toBe("The service web crashes (exited 1).");
});

test.each([
  ["healthy", null],
  ["crashed", null],
  ["asleep", "failed"],
  ["starting", "failed"],
  ["sandbox-limit", "failed"],
  ["unknown", "failed"],
] as const)("after a wake that failed, a preview that is %s has the error %j", (state, shown) => {
  expect(findPreviewError(state, "failed")).toBe(shown);
});
