// When a sandbox pauses: when it is idle, or when its session is over. If its work cannot be saved
// before a deadline, it ends without a save. It is deleted with its session.
import { decided } from "../../rules/decision.ts";
import { awayHoldMs, idleBeforePauseMs } from "../../rules/limits.ts";
import { refuse } from "../../rules/refusal.ts";
import {
  isStarting,
  type Sandbox,
  type SandboxDecision,
  toAsleep,
  toRecord,
  type UpSandbox,
  useNotedEveryMs,
} from "./lifecycle.ts";
import { protocolVersion } from "./program-version.ts";

/**
 * How long the save before a pause is retried. After that, a sandbox that does not respond can be
 * started again.
 */
export const pauseDeadlineMs = 10 * 60_000;

const stoppedWhileStarting = refuse("BAD_REQUEST", "The sandbox was stopped while it was starting.");

/**
 * How long a sandbox stays up, in milliseconds: after the last view, and after the last work if
 * nobody views it.
 */
export interface IdleTimes {
  lookedMs: number;
  awayMs: number;
}

export const idleTimes: IdleTimes = { lookedMs: idleBeforePauseMs, awayMs: awayHoldMs };

/**
 * When a sandbox pauses unless it is used again (decisions, "Idle"). A spare waits for a session,
 * so it stays up as long as a viewed sandbox. While a turn holds it, it never pauses before the
 * next check.
 */
export function getIdleFrom(sandbox: UpSandbox, now: number, { lookedMs, awayMs }: IdleTimes = idleTimes): number {
  const { holders, lastUsedAt, lastLookedAt, owner } = sandbox;
  if (holders.length > 0) return now + awayMs;
  const afterUse = lastUsedAt + (owner?.type === "spare" ? lookedMs : awayMs);
  const afterLook = lastLookedAt === null ? afterUse : lastLookedAt + lookedMs;
  return Math.max(afterUse, afterLook) + useNotedEveryMs;
}

/**
 * Handles the idle reminder: pauses a sandbox whose idle time is over, otherwise sets the reminder
 * again.
 */
export function pauseIfIdle(sandbox: Sandbox, now: number, times: IdleTimes = idleTimes): SandboxDecision<null> {
  if (sandbox.state !== "running") return decided(sandbox, null);
  const idleAt = getIdleFrom(sandbox, now, times);
  if (now < idleAt) return decided(sandbox, null, [{ type: "remind", name: "idle", at: idleAt }]);
  return pause(sandbox, now, null);
}

/**
 * Stops a sandbox gracefully, because its session is over or to make room for another. A running
 * one is paused; the start of a starting one is cancelled. Returns true if there was anything to
 * stop.
 */
export function stopGracefully(sandbox: Sandbox, now: number): SandboxDecision<boolean> {
  if (sandbox.state === "running") return pause(sandbox, now, true);
  if (!isStarting(sandbox)) return decided(sandbox, sandbox.state === "pausing");
  // Nobody has worked in it yet, so there is nothing new to save.
  const failure = { refusal: stoppedWhileStarting, at: now, isCalledOff: true };
  return decided(toAsleep(sandbox, failure), true, [
    { type: "forget", name: "start-overdue" },
    { type: "end", id: sandbox.generation },
  ]);
}

/** Deletes the sandbox of a deleted session with its saved work. It cannot be started again. */
export function destroy(sandbox: Sandbox): SandboxDecision<null> {
  if (sandbox.state === "gone") return decided(sandbox, null);
  return decided({ ...toRecord(sandbox), holders: [], archiveKey: null, state: "gone" }, null, [
    { type: "forget", name: "start-overdue" },
    { type: "forget", name: "idle" },
    { type: "forget", name: "pause-overdue" },
    { type: "destroy", id: sandbox.generation },
  ]);
}

/**
 * Ends a sandbox whose work could not be saved by the deadline. The next start restores the last
 * save.
 */
export function pauseOverdue(sandbox: Sandbox): SandboxDecision<null> {
  if (sandbox.state !== "pausing") return decided(sandbox, null);
  return decided(toAsleep(sandbox), null, [{ type: "end", id: sandbox.generation }]);
}

/** Cancels a pause that is still saving, because the sandbox has new work. */
export function cancelPause(sandbox: Sandbox, now: number): SandboxDecision<null> {
  if (sandbox.state !== "pausing") return decided(sandbox, null);
  return decided({ ...sandbox, state: "running", lastUsedAt: now }, null, [
    { type: "forget", name: "pause-overdue" },
    { type: "remind", name: "idle", at: now + awayHoldMs },
  ]);
}

/** The process of a pausing sandbox has ended, with or without a save. */
export function recordPaused(sandbox: Sandbox, generation: number): SandboxDecision<null> {
  if (sandbox.state !== "pausing" || sandbox.generation !== generation) return decided(sandbox, null);
  return decided({ ...toAsleep(sandbox), containerGeneration: 0 }, null, [{ type: "forget", name: "pause-overdue" }]);
}

/** Pauses a running sandbox. A spare holds no work, so it ends immediately. */
function pause<Answer>(sandbox: UpSandbox, now: number, answer: Answer): SandboxDecision<Answer> {
  if (sandbox.owner?.type === "spare") {
    return decided(toAsleep(sandbox), answer, [{ type: "end", id: sandbox.generation }]);
  }
  return decided({ ...sandbox, state: "pausing" }, answer, [
    { type: "remind", name: "pause-overdue", at: now + pauseDeadlineMs },
    { type: "pause", id: sandbox.generation },
  ]);
}

/**
 * True if the sandbox runs another program than those that start now. The pool replaces outdated
 * spares itself.
 */
function isOutdated(sandbox: Sandbox, present: string): sandbox is UpSandbox {
  if (sandbox.state !== "running" || sandbox.owner?.type === "spare") return false;
  const { program, protocol } = sandbox;
  return program !== present || protocol !== protocolVersion;
}

/**
 * Retires an outdated sandbox that no turn holds: its work is saved and its process ended, so that
 * its next wake starts the current program. `present` is the program that starts now. Returns
 * whether it retired the sandbox.
 */
export function retire(sandbox: Sandbox, present: string, now: number): SandboxDecision<boolean> {
  if (!isOutdated(sandbox, present) || sandbox.holders.length > 0) return decided(sandbox, false);
  return pause(sandbox, now, true);
}
