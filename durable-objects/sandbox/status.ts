// What can be seen of a sandbox without waking it: whether it runs, and what its services answer.

import type { TurnSigns } from "../../src/rules/chat/watchdog.ts";
import type { SandboxStatus } from "../../src/rules/preview/preview.ts";
import { isRefusal } from "../../src/rules/refusal.ts";
import { isResetting } from "../../src/rules/sandbox/reset.ts";
import { isStarting, lost } from "../../src/rules/sandbox/sandbox.ts";
import { releaseUnusedClaim } from "../../src/storage/queries/sandbox-slots.ts";
import { within } from "../object/timeout.ts";
import type { SandboxContext } from "./context.ts";

/** A slot is claimed shortly before its start; one that was claimed longer ago than this was claimed for nothing. */
const claimUnusedMs = 60_000;

/** Health says that it learned nothing when a program has not answered by then. */
const sightWaitMs = 3_000;

/** To end what is gone already takes no longer, unless its host is in trouble. */
const endWaitMs = 1_000;

/** Looks whether the sandbox runs; one that stopped unseen is known to be gone from then on, and holds no slot any more. */
export async function probeSandbox({ env, access, shell }: SandboxContext): Promise<Omit<TurnSigns, "lastSignAt">> {
  const sandbox = access.sandbox();
  const { state, generation, runningSince } = sandbox;
  if (isStarting(sandbox)) return { sandbox: "starting" };
  if (state !== "running") {
    // The slot of one that is pausing is given back behind that.
    if (state !== "pausing") await releaseUnusedClaim(env.DB, access.key, Date.now() - claimUnusedMs);
    return { sandbox: "gone" };
  }
  if (await access.driver.isRunning()) {
    return { sandbox: "running", sandboxGeneration: generation, sandboxRunningSince: runningSince };
  }
  shell.decide((current) => lost(current, generation));
  await shell.settled(`end:${generation}`);
  return { sandbox: "gone" };
}

/** Its state and what its services answer. */
export async function sandboxStatus({ access, shell }: SandboxContext): Promise<SandboxStatus> {
  const seen = () => {
    const { state, generation, resumesOnVisit, resettingSince } = access.sandbox();
    return { state, generation, resumesOnVisit, isResetting: isResetting({ resettingSince }, Date.now()) };
  };
  const before = seen();
  if (before.state !== "running") return { ...before, services: null };
  const answer = await access.inSight(() => access.program(AbortSignal.timeout(sightWaitMs)).status());
  // It turned out to be gone: whoever hears of that finds its slot free.
  if (answer === undefined) await within(shell.settled(`end:${before.generation}`), endWaitMs);
  const services = isRefusal(answer) ? null : (answer?.services ?? null);
  const after = seen();
  // The services were asked in between: those of before a reset are not those of after it.
  return { ...after, isResetting: before.isResetting || after.isResetting, services };
}
