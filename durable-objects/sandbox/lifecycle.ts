// The operations that a sandbox object has in flight. They are only in memory: after a restart the
// object starts them again.

import { within } from "../../src/lib/timeout.ts";
import type { SandboxLifeState } from "../../src/sandbox/rules/lifecycle.ts";
import type { SandboxOwner } from "../../src/sandbox/rules/owner.ts";
import { retire, stopGracefully } from "../../src/sandbox/rules/pause.ts";
import { createKeyedLock, type KeyedLock } from "../object/keyed-lock.ts";
import type { SandboxContext } from "./context.ts";

export interface SandboxInFlight {
  /** Aborts the calls of the current start if it is abandoned. */
  start: AbortController | null;
  /**
   * Resolved when a start leaves the previous container behind, for an end that waits for that
   * container.
   */
  leftBehind: PromiseWithResolvers<void>;
  /** Identifies a pause that is still saving. It can be cancelled until the save is done. */
  pause: symbol | null;
  /** The time since which a pause has held the sandbox; null without a pause. */
  heldSince: number | null;
  /** How many calls to the program are waiting for their response. */
  calls: number;
  /** The owner who wants a wake after the pause. */
  wantedBehindPause: SandboxOwner | null;
  /** Resolved when a pause is cancelled, for callers that wait for it. */
  calledOff: PromiseWithResolvers<void>;
  /** Saves run one at a time, so that the newest one is the final one. */
  saving: KeyedLock;
}

export const nothingInFlight = (): SandboxInFlight => ({
  start: null,
  leftBehind: Promise.withResolvers(),
  pause: null,
  heldSince: null,
  calls: 0,
  wantedBehindPause: null,
  calledOff: Promise.withResolvers(),
  saving: createKeyedLock(),
});

// Retires a sandbox whose program is outdated, as soon as nothing is running in it.

/**
 * Returns whether the sandbox is retired now. A sandbox with a turn or a call in progress continues
 * for now.
 */
export function retireOutdated({ env, access, shell }: SandboxContext): boolean {
  if (access.inFlight.calls > 0) return false;
  return shell.decide((sandbox, now) => retire(sandbox, env.SANDBOX_PROGRAM, now)) === true;
}

// Stops a sandbox gracefully: its work is saved and its process ended, unless new work comes before
// the save is done.

/** How long a caller waits for the outcome of a pause, which saves the work first. */
const outcomeWaitMs = 25_000;
/** The wait before a failed pause is tried again. */
const lookAgainMs = 500;

/** Starts to stop the sandbox. Returns the generation that stops; null if none runs. */
export function stopSandboxGracefully({ access, shell }: SandboxContext): number | null {
  const { generation } = access.sandbox();
  access.inFlight.wantedBehindPause = null;
  return shell.decide(stopGracefully) === true ? generation : null;
}

/**
 * Waits until a generation has stopped. Returns false if it was kept awake, or if stopping takes
 * too long.
 */
export async function hasStopped({ access, shell }: SandboxContext, generation: number): Promise<boolean> {
  const until = Date.now() + outcomeWaitMs;
  const isThere = (...states: SandboxLifeState[]) => {
    const sandbox = access.sandbox();
    return sandbox.generation === generation && states.includes(sandbox.state);
  };
  while (isThere("pausing") && Date.now() < until) {
    await access.pauseSettled(until - Date.now());
    if (isThere("pausing")) await scheduler.wait(lookAgainMs);
  }
  if (isThere("pausing", "running")) return false;
  // The slot is released only after the state has changed.
  await within(shell.settled(`end:${generation}`), Math.max(0, until - Date.now()));
  return true;
}
