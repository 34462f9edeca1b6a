// How a sandbox ends: it pauses when nobody uses it or its session is over, is given up when its work cannot be saved, and is gone for
// good when its session is deleted.
import { decided } from "../decision.ts";
import { idleBeforePauseMs } from "../limits.ts";
import { refuse } from "../refusal.ts";
import { asleep, isStarting, type Sandbox, type SandboxDecision, useNotedEveryMs } from "./sandbox.ts";

/** How long the save before a pause is tried, so that a sandbox which does not answer can be started anew some time. */
export const pauseDeadlineMs = 10 * 60_000;

const retiredWhileStarting = refuse("BAD_REQUEST", "The sandbox was stopped while it was starting.");

/** The idle reminder fired: pauses a sandbox that nobody used for the idle time, or looks again when that may be so. */
export function lookIdle(sandbox: Sandbox, now: number): SandboxDecision<null> {
  if (sandbox.state !== "running") return decided(sandbox, null);
  const lastUsedAt = sandbox.turnId === null ? sandbox.lastUsedAt + useNotedEveryMs : now;
  const idleAt = lastUsedAt + idleBeforePauseMs;
  if (now < idleAt) return decided(sandbox, null, [{ type: "remind", name: "idle", at: idleAt }]);
  return pause(sandbox, now, null);
}

/**
 * The session is over for now, or its sandbox makes room for another: one that runs is paused at once, one that starts is not started. What
 * sleeps is left asleep. Answers whether there was anything to end.
 */
export function retire(sandbox: Sandbox, now: number): SandboxDecision<boolean> {
  if (sandbox.state === "running") return pause(sandbox, now, true);
  if (!isStarting(sandbox)) return decided(sandbox, sandbox.state === "pausing");
  // Nobody has worked in it yet, so what was saved before is all there is.
  const failure = { refusal: retiredWhileStarting, at: now, isCalledOff: true };
  return decided({ ...asleep(sandbox), failure }, true, [
    { type: "forget", name: "start-overdue" },
    { type: "end", generation: sandbox.generation },
  ]);
}

/** The session is deleted: nothing is left of its sandbox, and none will ever be started for it. */
export function destroy(sandbox: Sandbox): SandboxDecision<null> {
  if (sandbox.state === "gone") return decided(sandbox, null);
  return decided({ ...asleep(sandbox), state: "gone", archiveKey: null }, null, [
    { type: "forget", name: "start-overdue" },
    { type: "forget", name: "idle" },
    { type: "forget", name: "pause-overdue" },
    { type: "destroy", generation: sandbox.generation },
  ]);
}

/** Its work could not be saved for so long that it will not be: the sandbox ends, and what was saved before is in force. */
export function pauseOverdue(sandbox: Sandbox): SandboxDecision<null> {
  if (sandbox.state !== "pausing") return decided(sandbox, null);
  return decided(asleep(sandbox), null, [{ type: "end", generation: sandbox.generation }]);
}

/** Somebody has work for a sandbox that is only being saved for its pause: it stays awake. */
export function callOffPause(sandbox: Sandbox, now: number): SandboxDecision<null> {
  if (sandbox.state !== "pausing") return decided(sandbox, null);
  return decided({ ...sandbox, state: "running", lastUsedAt: now }, null, [
    { type: "forget", name: "pause-overdue" },
    { type: "remind", name: "idle", at: now + idleBeforePauseMs },
  ]);
}

/** Its process ended, after its work was saved or could not be. */
export function paused(sandbox: Sandbox, generation: number): SandboxDecision<null> {
  if (sandbox.state !== "pausing" || sandbox.generation !== generation) return decided(sandbox, null);
  return decided(asleep(sandbox), null, [{ type: "forget", name: "pause-overdue" }]);
}

function pause<Answer>(sandbox: Sandbox, now: number, answer: Answer): SandboxDecision<Answer> {
  return decided({ ...sandbox, state: "pausing" }, answer, [
    { type: "remind", name: "pause-overdue", at: now + pauseDeadlineMs },
    { type: "pause", generation: sandbox.generation },
  ]);
}
