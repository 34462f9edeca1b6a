// What a sandbox object is in the middle of. It knows that only while it lives; a later life does the same from its beginning.
import type { SandboxOwner } from "../../src/rules/sandbox/owner.ts";
import { oneAtATime } from "../object/keyed-lock.ts";

export interface SandboxInFlight {
  /** Cuts the calls of the start under way off, once it is given up. */
  start: AbortController | null;
  /** Stands for a pause that still saves, and can be called off as long as it does. */
  pause: symbol | null;
  /** Since when a pause holds the sandbox; null when none does. */
  heldSince: number | null;
  /** Who wants to see it once its pause is over. */
  wantedBehindPause: SandboxOwner | null;
  /** Tells whoever waits for a pause that it was called off. */
  calledOff: PromiseWithResolvers<void>;
  /** One save after the other, so that the newest is in force in the end. */
  saving: ReturnType<typeof oneAtATime>;
}

export const nothingInFlight = (): SandboxInFlight => ({
  start: null,
  pause: null,
  heldSince: null,
  wantedBehindPause: null,
  calledOff: Promise.withResolvers(),
  saving: oneAtATime(),
});
