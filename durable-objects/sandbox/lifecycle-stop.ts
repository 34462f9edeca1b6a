// Stops a sandbox gracefully: its work is saved and its process ended, unless new work comes before the save is done.

import type { SandboxLifeState } from "../../src/sandbox/rules/lifecycle.ts";
import { stopGracefully } from "../../src/sandbox/rules/pause.ts";
import { within } from "../object/timeout.ts";
import type { SandboxContext } from "./context.ts";

/** How long a caller waits for the outcome of a pause, which saves the work first. */
const outcomeWaitMs = 25_000;
/** The wait before a failed pause is tried again. */
const lookAgainMs = 500;

/** Begins to stop the sandbox. Answers the generation that stops; null if none runs. */
export function stopSandboxGracefully({ access, shell }: SandboxContext): number | null {
  const { generation } = access.sandbox();
  access.inFlight.wantedBehindPause = null;
  return shell.decide(stopGracefully) === true ? generation : null;
}

/** Waits until a generation has stopped. False if somebody kept it awake, or it takes too long. */
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
  // The slot is released after that.
  await within(shell.settled(`end:${generation}`), Math.max(0, until - Date.now()));
  return true;
}
