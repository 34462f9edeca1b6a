// When a sandbox pauses: when it is idle, or when its session is over. If its work cannot be saved
// before a deadline, it ends without a save. It is deleted with its session.
import { decided } from "../../rules/decision.ts";
import { awayHoldMs, idleBeforePauseMs, shortestTailMs } from "../../rules/limits.ts";
import { refuse } from "../../rules/refusal.ts";
import { getAwayHoldMs, getTailMs } from "./idle-tail.ts";
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
/** How often an overdue pause that cannot end is looked at. */
export const pauseLookMs = 60_000;

const stoppedWhileStarting = refuse("BAD_REQUEST", "The sandbox was stopped while it was starting.");

/**
 * When a sandbox pauses unless it is used again. `leastMs` is the time that its machine keeps
 * sandboxes. The contract leaves the length of the tail open, and binds it in this: a sandbox
 * pauses when it is idle, and a woken one pauses again (Part 1, "Previews and sandboxes"). A turn
 * or a start keeps it up. It stays up no longer than 10 minutes after a look, nor than 5 minutes
 * after work without one; `awayHoldMs` is the latter time of this sandbox (decisions, "Idle").
 *
 * | Last use | Stays up for |
 * |---|---|
 * | A turn works in it | as long as that does |
 * | Its preview, a file or a terminal | 10 minutes, because nobody knows which tab is in front |
 * | A person followed its chat | its tail, of 10 minutes at most |
 * | Other work | its tail, of 5 minutes at most |
 * | None; it is a spare | 10 minutes |
 *
 * A console that is in front follows the chat, so that the time begins again before each pause.
 */
export function getIdleFrom(sandbox: UpSandbox, now: number, leastMs = 0): number {
  const { holders, lastUsedAt, lastLookedAt, owner, past } = sandbox;
  if (holders.length > 0) return now + awayHoldMs;
  const isSpare = owner?.type === "spare";
  const longestMs = Math.max(idleBeforePauseMs, leastMs);
  const afterUse = lastUsedAt + (isSpare ? longestMs : getAwayHoldMs(past, leastMs));
  const afterReading = (past.readAt ?? 0) + Math.max(getTailMs(past), leastMs);
  const afterLook = (lastLookedAt ?? 0) + longestMs;
  return Math.max(afterUse, afterReading, afterLook) + useNotedEveryMs;
}

/**
 * Handles the idle reminder: pauses a sandbox whose idle time is over, otherwise sets the reminder
 * again.
 */
export function pauseIfIdle(sandbox: Sandbox, now: number, leastMs = 0): SandboxDecision<null> {
  if (sandbox.state !== "running") return decided(sandbox, null);
  const idleAt = getIdleFrom(sandbox, now, leastMs);
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
 * Why a pause has not ended: its sandbox, or a part of the service that a save needs, such as
 * storage or the database. Null if that is unknown.
 */
export type PauseDelay = "sandbox" | "service";

/**
 * Ends a sandbox whose work could not be saved by the deadline. The next start restores the last
 * save. If the service cannot save the work, the sandbox is its only place, so it stays.
 */
export function pauseOverdue(sandbox: Sandbox, delay: PauseDelay | null, now: number): SandboxDecision<null> {
  if (sandbox.state !== "pausing") return decided(sandbox, null);
  if (delay !== "sandbox")
    return decided(sandbox, null, [{ type: "remind", name: "pause-overdue", at: now + pauseLookMs }]);
  return decided(toAsleep(sandbox), null, [{ type: "end", id: sandbox.generation }]);
}

/**
 * Cancels a pause that is not ending its sandbox yet, because there is new work. An earlier try of
 * the pause may have stopped the services.
 */
export function cancelPause(sandbox: Sandbox, now: number): SandboxDecision<null> {
  if (sandbox.state !== "pausing") return decided(sandbox, null);
  return decided({ ...sandbox, state: "running", lastUsedAt: now }, null, [
    { type: "forget", name: "pause-overdue" },
    { type: "remind", name: "idle", at: now + shortestTailMs + useNotedEveryMs },
    { type: "start-services", id: sandbox.generation },
  ]);
}

/** The process of a pausing sandbox has ended, with or without a save. */
export function recordPaused(sandbox: Sandbox, generation: number): SandboxDecision<null> {
  if (sandbox.state !== "pausing" || sandbox.generation !== generation) return decided(sandbox, null);
  return decided({ ...toAsleep(sandbox), containerGeneration: 0 }, null, [{ type: "forget", name: "pause-overdue" }]);
}

/** Pauses a running sandbox. A spare holds no work, so it ends immediately. */
function pause<Result>(sandbox: UpSandbox, now: number, result: Result): SandboxDecision<Result> {
  if (sandbox.owner?.type === "spare") {
    return decided(toAsleep(sandbox), result, [{ type: "end", id: sandbox.generation }]);
  }
  return decided({ ...sandbox, state: "pausing" }, result, [
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
