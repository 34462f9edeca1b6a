// The standard turn, whose cost is counted: five minutes of an agent's work that one person
// watches, in a sandbox that had paused, followed by the idle tail, after which the sandbox pauses
// again. What the platform bills by count is measured, in a run that leaves out the waiting. What
// it bills by time is set here.
import type { Counts } from "./counts.ts";

/** A part of a response, as a model writes it while somebody reads along. */
const spoken = "The departure board reads its trains from the timetable, and the timetable from the depot. ".repeat(5);
/**
 * For each part. Together they stream as long as the text of the turn that originally wrote 2,900
 * rows in pieces of 40 ms.
 */
const spokenMs = 8_000;
export const spokenPieces = 3;
export const streamedMs = spokenPieces * spokenMs;

type Step = Record<string, unknown>;

/**
 * Ten requests to the model with nine tools between them. Without `streams`, the same turn says the
 * same text immediately.
 */
export function createStandardSteps({ streams }: { streams: boolean }): Step[] {
  const say: Step = streams ? { stream: { text: spoken, ms: spokenMs } } : { say: spoken };
  return [
    { plan: ["Read the board", "Write the test", "Make it pass"] },
    say,
    { bash: "ls" },
    { bash: "git status --short" },
    { write: { path: "cost.txt", content: "one line\n" } },
    say,
    { bash: "cat cost.txt" },
    { write: { path: "cost.txt", content: "another line\n" } },
    { bash: "cat cost.txt" },
    { bash: "git diff --stat" },
    { bash: "echo done" },
    say,
  ];
}

/** From the message to the end of the response. */
export const turnSeconds = 300;
/**
 * How many of these seconds a model responds. The session's object is awake then, because it holds
 * the counter of the call.
 */
export const modelSeconds = 200;
/** For starting the sandbox before the turn, and saving its work after the tail. */
export const startSeconds = 5;
export const saveSeconds = 5;

/**
 * How much of one CPU a sandbox uses: for commands and the program during a turn, for services in
 * the tail. Assumed, not measured.
 */
export const workingVcpu = 0.25;
export const idleVcpu = 0.02;

/** The Worker's CPU time for a request. Assumed: only the platform can measure it. */
export const cpuMsPerRequest = 10;

/**
 * The idle tail after a turn, in seconds: the mean of the simulated month. A test compares it with
 * the simulation.
 */
export const recordedTailSeconds = 152;

/**
 * The latest counts of `npm run bench -- --only cost`. `docs/cost.md` is computed from them; the
 * bench reports when they no longer match the product.
 */
export const recordedCounts: Counts = {
  ...{ roundTrips: 20, statements: 34, rowsRead: 88, rowsWritten: 48 },
  ...{ objectCalls: 24, alarms: 1, messages: 138, objectRowsRead: 1_958, objectRowsWritten: 481, objectBusyMs: 3_631 },
  ...{ workerRequests: 15, storeCalls: 10, storeWrites: 6, storeReads: 1 },
};
