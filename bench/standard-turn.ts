// The standard turn, whose cost is counted: five minutes of an agent's work that one person
// watches, in a sandbox that had paused, and the idle tail behind it, at whose end the sandbox
// pauses again. What the platform bills by count is measured, in a run that leaves out the waiting.
// What it bills by time is said here.
import { awayHoldMs, idleBeforePauseMs } from "../src/rules/limits.ts";
import type { Counts } from "./counts.ts";

/** A piece of an answer, as a model writes it while somebody reads along. */
const spoken = "The departure board reads its trains from the timetable, and the timetable from the depot. ".repeat(5);
/**
 * Of each piece. Together they stream as long as the text of a turn does whose pieces of 40 ms
 * wrote the 2,900 rows that this began with.
 */
const spokenMs = 8_000;
export const spokenPieces = 3;
export const streamedMs = spokenPieces * spokenMs;

type Step = Record<string, unknown>;

/**
 * Ten requests to the model with nine tools between them. The same turn without `streams` says the
 * same at once.
 */
export function standardSteps({ streams }: { streams: boolean }): Step[] {
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

/** From the message to the end of the answer. */
export const turnSeconds = 300;
/**
 * Of these, those in which a model answers. The session's object is awake then: it holds the
 * counter of the call.
 */
export const modelSeconds = 200;
/** Bringing the sandbox up before, and saving its work after the tail. */
export const startSeconds = 5;
export const saveSeconds = 5;

/**
 * How much of one CPU a sandbox uses: commands and the program while a turn works, services in the
 * tail. Assumed, not measured.
 */
export const workingVcpu = 0.25;
export const idleVcpu = 0.02;

/** What a request takes of the Worker's CPU. Assumed: the platform alone can say. */
export const cpuMsPerRequest = 10;

/** The idle tail, in seconds: behind the last look of a person, or where nobody looked. */
export const watchedTailSeconds = idleBeforePauseMs / 1_000;
export const awayTailSeconds = awayHoldMs / 1_000;

/**
 * What `npm run bench -- --only cost` counted last. `docs/cost.md` is computed from it; the bench
 * says when the product has left it behind.
 */
export const recordedCounts: Counts = {
  ...{ roundTrips: 20, statements: 34, rowsRead: 88, rowsWritten: 48 },
  ...{ objectCalls: 24, alarms: 1, messages: 138, objectRowsRead: 1_958, objectRowsWritten: 481, objectBusyMs: 3_631 },
  ...{ workerRequests: 15, storeCalls: 10, storeWrites: 6, storeReads: 1 },
};
