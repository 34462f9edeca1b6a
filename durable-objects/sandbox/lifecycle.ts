// What a sandbox object does to its process: a start, a pause or an end. The operation in progress
// is only in memory, and only this file changes it. After a restart the object performs it again.

import { waitAtMost } from "../../src/lib/timeout.ts";
import { getSandboxDriver, hasContainers } from "../../src/sandbox/program/choose-driver.ts";
import { asCallOfSave, SandboxFailedSave } from "../../src/sandbox/program/driver.ts";
import { releaseSlot } from "../../src/sandbox/queries/slots.ts";
import { findProtocol, type SandboxLifeState } from "../../src/sandbox/rules/lifecycle.ts";
import type { SandboxOwner } from "../../src/sandbox/rules/owner.ts";
import {
  cancelPause,
  type PauseDelay,
  pauseDeadlineMs,
  pauseOverdue,
  recordPaused,
  retire,
  stopGracefully,
} from "../../src/sandbox/rules/pause.ts";
import { isUnderstood } from "../../src/sandbox/rules/program-version.ts";
import type { SandboxContext } from "./context.ts";
import type { ProgramCalls } from "./program-calls.ts";
import { saveChanges, saveWork } from "./saved-work.ts";

/** A pause, from its first try to its end. */
interface Pausing {
  type: "pausing";
  /** `waiting`: for its next try. A pause that is ending its sandbox cannot be cancelled. */
  phase: "waiting" | "saving" | "ending";
  /** The time of the first try; null before it. */
  since: number | null;
  /** Why the last try failed, or has not ended; null before the first try. */
  delay: PauseDelay | null;
  /** Resolved when the pause is cancelled or abandoned, for callers that wait for it. */
  cancelled: PromiseWithResolvers<void>;
}

/** What is in progress. The calls of a start are aborted if the start is abandoned. */
type Operation = { type: "none" } | { type: "starting"; abort: AbortController } | Pausing;

interface Memory {
  operation: Operation;
  /**
   * Resolved when a start need not wait for the end of the previous generation. That end then stops
   * waiting for its container.
   */
  previousEnd: PromiseWithResolvers<void>;
  /** The owner who wants a wake after the pause. */
  wakeAfterPause: SandboxOwner | null;
}

export type Lifecycle = Readonly<Memory>;

export const createLifecycle = (): Lifecycle => ({
  operation: { type: "none" },
  previousEnd: Promise.withResolvers(),
  wakeAfterPause: null,
});

/**
 * Waits for the end of the previous generation, which must not reach the process of this one. It
 * cannot reach a container of this generation, so with containers the start does not wait for it.
 */
export async function waitForPreviousEnd({ env, calls }: SandboxContext, generation: number): Promise<void> {
  const memory: Memory = calls.lifecycle;
  if (hasContainers(env)) memory.previousEnd.resolve();
  memory.previousEnd = Promise.withResolvers();
  await calls.settled({ type: "end", id: generation - 1 });
}

/** Runs a start whose calls are aborted if the start is abandoned. */
export async function runStart(
  { calls }: SandboxContext,
  abort: AbortController,
  start: () => Promise<void>,
): Promise<void> {
  const memory: Memory = calls.lifecycle;
  const starting: Operation = { type: "starting", abort };
  memory.operation = starting;
  try {
    await start();
  } finally {
    if (memory.operation === starting) memory.operation = { type: "none" };
  }
}

/** The wait before a failed pause is tried again. */
const pauseRetryMs = 500;

/** The pause in progress. It is created before its first try, so that callers can wait for it. */
function currentPause(memory: Memory): Pausing {
  if (memory.operation.type === "pausing") return memory.operation;
  const pause: Pausing = {
    type: "pausing",
    phase: "waiting",
    since: null,
    delay: null,
    cancelled: Promise.withResolvers(),
  };
  memory.operation = pause;
  return pause;
}

/**
 * Saves the work of a pausing sandbox, then ends its process and releases its slot, unless new work
 * comes before the save is done.
 */
export async function pauseSandbox(context: SandboxContext, generation: number): Promise<void> {
  const { calls, shell } = context;
  if (calls.sandbox().state !== "pausing") return;
  const memory: Memory = calls.lifecycle;
  const pause = currentPause(memory);
  pause.phase = "saving";
  pause.since ??= Date.now();
  pause.delay ??= "sandbox";
  try {
    // One that a cancelled pause requested would start again what this pause stops.
    await calls.settled({ type: "start-services", id: generation });
    await saveWork(context, generation, { isUnlessSaved: true });
    // The pause was cancelled meanwhile, or was abandoned because it took too long. Another
    // generation may be running by now.
    if (memory.operation !== pause || calls.sandbox().state !== "pausing") return;
    // From here on this try cannot be cancelled. A second save stores what the services wrote
    // during the first one and while they ended.
    pause.phase = "ending";
    await calls.runUnlessGone(() => asCallOfSave(calls.program().services({ services: [], env: {}, restart: false })));
    await saveWork(context, generation, { isUnlessSaved: true });
    await saveChanges(context);
    // Nothing is lost if the deadline ends the sandbox now.
    pause.delay = "sandbox";
  } catch (error) {
    pause.phase = "waiting";
    pause.delay = error instanceof SandboxFailedSave ? "sandbox" : "service";
    throw error;
  }
  const isWanted = () => calls.sandbox().state === "pausing" && calls.sandbox().generation === generation;
  if (!isWanted()) return;
  await endSandbox(context, generation, { isWanted, mayKeepDisk: true });
  if (!isWanted()) return;
  shell.decide((sandbox) => recordPaused(sandbox, generation));
  memory.operation = { type: "none" };
}

/** Ends a sandbox whose pause took too long, unless the service is the reason. */
export function endOverduePause({ calls, shell }: SandboxContext): void {
  const memory: Memory = calls.lifecycle;
  const { operation } = memory;
  // After a restart of the object, the next try finds the reason.
  const delay = operation.type === "pausing" ? operation.delay : null;
  shell.decide((sandbox, now) => pauseOverdue(sandbox, delay, now));
  if (operation.type !== "pausing" || calls.sandbox().state === "pausing") return;
  memory.operation = { type: "none" };
  operation.cancelled.resolve();
}

type PauseParts = Pick<SandboxContext, "env" | "calls" | "shell">;

/**
 * Cancels the pause, or waits for its end if it cannot be cancelled, at most `waitMs`. If its try
 * fails, it can be cancelled again.
 */
export async function cancelPauseOrWait(parts: PauseParts, waitMs: number): Promise<void> {
  const until = Date.now() + waitMs;
  const isPausing = () => parts.calls.sandbox().state === "pausing";
  do {
    cancelPauseOrRetire(parts);
    await pauseSettled(parts, until - Date.now());
    // Between two tries there is nothing to wait for.
    if (isPausing()) await scheduler.wait(pauseRetryMs);
  } while (isPausing() && Date.now() < until);
}

/**
 * Cancels a pause unless it is ending its sandbox. A sandbox with an incompatible program is
 * retired instead, because it is of no use awake.
 */
function cancelPauseOrRetire({ env, calls, shell }: PauseParts): void {
  const memory: Memory = calls.lifecycle;
  const { operation } = memory;
  if (!isUnderstood(findProtocol(calls.sandbox())))
    return void shell.decide((sandbox, now) => retire(sandbox, env.SANDBOX_PROGRAM, now));
  if (operation.type !== "pausing" || operation.phase === "ending") return;
  memory.operation = { type: "none" };
  shell.decide(cancelPause);
  operation.cancelled.resolve();
}

/** Waits until the current pause ends, is cancelled or abandoned, at most `waitMs`. */
export async function pauseSettled({ calls }: { calls: ProgramCalls }, waitMs: number): Promise<void> {
  const { state, generation } = calls.sandbox();
  if (state !== "pausing") return;
  const { cancelled } = currentPause(calls.lifecycle);
  await waitAtMost(Promise.race([calls.settled({ type: "pause", id: generation }), cancelled.promise]), waitMs);
}

/** How long the current pause has held the sandbox, in milliseconds. */
export function getPausingMs({ calls }: SandboxContext): number {
  const { operation } = calls.lifecycle;
  return operation.type === "pausing" && operation.since !== null ? Date.now() - operation.since : 0;
}

/**
 * Wakes the sandbox after its pause, unless it is stopped meanwhile. The wish is lost when the
 * object restarts; the client then asks again.
 */
export async function wakeAfterPause({ calls }: SandboxContext, owner: SandboxOwner): Promise<void> {
  const memory: Memory = calls.lifecycle;
  const isWaitedFor = memory.wakeAfterPause !== null;
  memory.wakeAfterPause = owner;
  if (isWaitedFor) return;
  const isPausing = () => calls.sandbox().state === "pausing";
  while (isPausing()) {
    await pauseSettled({ calls }, pauseDeadlineMs);
    if (isPausing()) await scheduler.wait(pauseRetryMs);
  }
  const wanted = memory.wakeAfterPause;
  memory.wakeAfterPause = null;
  if (wanted) calls.wake(wanted);
}

/**
 * Ends a generation. A start waits for the previous end, but not for an abandoned pause, because
 * such a pause does nothing further. Only a disk whose work was saved may be kept.
 */
export async function endSandbox(
  { env, calls }: SandboxContext,
  generation: number,
  { isWanted = () => true, mayKeepDisk = false }: { isWanted?: () => boolean; mayKeepDisk?: boolean } = {},
): Promise<void> {
  const { containerGeneration } = calls.sandbox();
  const driver = getSandboxDriver(env, calls.key, () => containerGeneration);
  const { operation, previousEnd } = calls.lifecycle;
  const stop = () => Promise.race([mayKeepDisk ? driver.pause() : driver.stop(), previousEnd.promise]);
  if (operation.type === "starting") operation.abort.abort(new Error("the start was abandoned"));
  await stop();
  // An aborted start may have started the process again before it stopped.
  await calls.settled({ type: "start", id: generation });
  if (isWanted()) await stop();
  if (isWanted()) await releaseSlot(env.DB, calls.key, Date.now());
}

/**
 * Ends the container of an earlier generation. On a sandbox host, the start itself has already
 * ended the previous process.
 */
export async function endPreviousContainer({ env, calls }: SandboxContext, left: number): Promise<void> {
  if (hasContainers(env)) await getSandboxDriver(env, calls.key, () => left).stop();
}

/**
 * Retires a sandbox whose program is outdated. Returns whether it is retired now. A sandbox with a
 * turn or a call in progress continues for now.
 */
export function retireOutdated({ env, calls, shell }: SandboxContext): boolean {
  if (calls.hasCalls()) return false;
  return shell.decide((sandbox, now) => retire(sandbox, env.SANDBOX_PROGRAM, now)) === true;
}

/** How long a caller waits for the outcome of a pause, which saves the work first. */
const outcomeWaitMs = 25_000;
/** Starts to stop the sandbox. Returns the generation that stops; null if none runs. */
export function stopSandboxGracefully({ calls, shell }: SandboxContext): number | null {
  const { generation } = calls.sandbox();
  const memory: Memory = calls.lifecycle;
  memory.wakeAfterPause = null;
  return shell.decide(stopGracefully) === true ? generation : null;
}

/**
 * Waits until a generation has stopped. Returns false if it was kept awake, or if stopping takes
 * too long.
 */
export async function waitUntilStopped({ calls }: SandboxContext, generation: number): Promise<boolean> {
  const until = Date.now() + outcomeWaitMs;
  const isThere = (...states: SandboxLifeState[]) => {
    const sandbox = calls.sandbox();
    return sandbox.generation === generation && states.includes(sandbox.state);
  };
  while (isThere("pausing") && Date.now() < until) {
    await pauseSettled({ calls }, until - Date.now());
    if (isThere("pausing")) await scheduler.wait(pauseRetryMs);
  }
  if (isThere("pausing", "running")) return false;
  // The slot is released only after the state has changed.
  await waitAtMost(calls.settled({ type: "end", id: generation }), Math.max(0, until - Date.now()));
  return true;
}
