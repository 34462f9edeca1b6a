// A sandbox that nobody works in for now: it is ended with its work saved, unless somebody has work for it before that is done.

import { stopGracefully } from "../../src/rules/sandbox/pause.ts";
import type { SandboxLifeState } from "../../src/rules/sandbox/sandbox.ts";
import { within } from "../object/timeout.ts";
import type { SandboxContext } from "./context.ts";

/** A pause saves the work first, which takes its time; so long whoever asks for its outcome waits. */
const outcomeWaitMs = 25_000;
/** A pause that failed is tried again some time later. */
const lookAgainMs = 500;

/** Ends the sandbox behind the answer, which is the generation that ends; null when there is none to end. */
export function stopSandboxGracefully({ access, shell }: SandboxContext): number | null {
  const { generation } = access.sandbox();
  access.inFlight.wantedBehindPause = null;
  return shell.decide(stopGracefully) === true ? generation : null;
}

/** Whether a generation that was retired came to its end, as soon as that is known. False when somebody kept it awake, or it takes too long. */
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
  // Its slot is free behind that.
  await within(shell.settled(`end:${generation}`), Math.max(0, until - Date.now()));
  return true;
}
