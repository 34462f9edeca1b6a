// A visit to a preview whose request nothing took: what the visitor is told, and whether the sandbox comes back for them.
import { decided } from "./decision.ts";
import { type PreviewTrouble, troubleOf } from "./preview.ts";
import { isRefusal } from "./refusal.ts";
import { type Sandbox, type SandboxDecision, type WakeCommand, wake } from "./sandbox.ts";

/** Within this time of a start that failed, visits are told so and start nothing: a page that reloads itself would try for ever. */
export const failedStartHoldsMs = 30_000;

/** Somebody opens a preview that does not answer. A sandbox that sleeps is woken, unless it was created to be left asleep. */
export function visit(sandbox: Sandbox, command: WakeCommand, now: number): SandboxDecision<PreviewTrouble> {
  switch (sandbox.state) {
    case "pausing":
      return decided(sandbox, sandbox.resumesOnVisit ? "starting" : "paused");
    case "absent":
    case "paused": {
      if (sandbox.failure !== null && now - sandbox.lastUsedAt < failedStartHoldsMs) return decided(sandbox, "unable");
      if (!sandbox.resumesOnVisit) return decided(sandbox, "paused");
      const woken = wake(sandbox, command, now);
      return isRefusal(woken) ? woken : { ...woken, answer: "starting" };
    }
    case "running":
    case "creating":
    case "resuming":
    case "gone":
      return decided(sandbox, troubleOf(sandbox.state));
  }
}
