// The operations that a sandbox object has in flight. They are kept in memory only: after a restart the object begins them again.
import type { SandboxOwner } from "../../src/sandbox/rules/owner.ts";
import { createKeyedLock, type KeyedLock } from "../object/keyed-lock.ts";

export interface SandboxInFlight {
  /** Aborts the calls of the current start once it is given up. */
  start: AbortController | null;
  /** Resolved when a start leaves the container of before behind, for the end that waits for that container. */
  leftBehind: PromiseWithResolvers<void>;
  /** Identifies a pause that is still saving. Until the save is done it can be cancelled. */
  pause: symbol | null;
  /** The time since which a pause has held the sandbox; null without one. */
  heldSince: number | null;
  /** The calls of the program that wait for their answer. */
  calls: number;
  /** The owner who wants a wake after the pause. */
  wantedBehindPause: SandboxOwner | null;
  /** Resolved when a pause is cancelled, for those who wait for it. */
  calledOff: PromiseWithResolvers<void>;
  /** Saves run one at a time, so that the newest one counts in the end. */
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
