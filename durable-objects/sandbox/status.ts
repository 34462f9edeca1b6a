// Reads a sandbox's status without waking it: whether it runs, and which services respond.
import type { TurnSigns } from "../../src/chat/rules/watchdog.ts";
import { log } from "../../src/lib/log.ts";
import { waitAtMost } from "../../src/lib/timeout.ts";
import { getLeastIdleMs } from "../../src/one-machine.ts";
import type { SandboxStatus } from "../../src/preview/rules/preview.ts";
import { isRefusal } from "../../src/rules/refusal.ts";
import { readServiceStatuses } from "../../src/sandbox/program/response.ts";
import { releaseUnusedClaim } from "../../src/sandbox/queries/slots.ts";
import { isStarting, recordLoss, recordReading } from "../../src/sandbox/rules/lifecycle.ts";
import { findTurnOwner } from "../../src/sandbox/rules/owner.ts";
import { getIdleFrom } from "../../src/sandbox/rules/pause.ts";
import { isResetting } from "../../src/sandbox/rules/reset.ts";
import { getTurnOwnerObject } from "../address.ts";
import type { SandboxContext } from "./context.ts";
import { findCurrentLayout } from "./settings.ts";

/**
 * A slot is claimed shortly before a start. A claim older than this was not followed by a start.
 */
const claimUnusedMs = 60_000;

/** Health is indeterminate if the program has not responded by then. */
const statusWaitMs = 3_000;

/**
 * Ending a sandbox that is already gone takes no longer than this, unless its host has a problem.
 */
const endWaitMs = 1_000;

/**
 * Probes whether the sandbox runs. If it has stopped unnoticed, that is recorded, and its slot is
 * released.
 */
export async function probeSandbox({ env, calls, shell }: SandboxContext): Promise<Omit<TurnSigns, "lastSignAt">> {
  const sandbox = calls.sandbox();
  const { generation } = sandbox;
  if (isStarting(sandbox)) return { sandbox: "starting" };
  if (sandbox.state !== "running") {
    // The slot of a pausing sandbox is released after the pause.
    if (sandbox.state !== "pausing") await releaseUnusedClaim(env.DB, calls.key, Date.now() - claimUnusedMs);
    return { sandbox: "gone" };
  }
  if (await calls.driver.isRunning()) {
    return { sandbox: "running", sandboxGeneration: generation, sandboxRunningSince: sandbox.runningSince };
  }
  shell.decide((current) => recordLoss(current, generation));
  await calls.settled({ type: "end", id: generation });
  return { sandbox: "gone" };
}

/** The state of the sandbox, and the status of its services. */
export async function getSandboxStatus(context: SandboxContext): Promise<SandboxStatus> {
  const { calls } = context;
  const seen = () => {
    const sandbox = calls.sandbox();
    const { state, generation, resumesOnVisit } = sandbox;
    return { state, generation, resumesOnVisit, isResetting: isResetting(sandbox, Date.now()) };
  };
  const before = seen();
  if (before.state !== "running") return { ...before, services: null, layout: null };
  const answer = await calls.callUnlessGone(() => calls.program(AbortSignal.timeout(statusWaitMs)).status());
  // The sandbox is gone. Its slot is released before the response.
  if (answer === undefined) await waitAtMost(calls.settled({ type: "end", id: before.generation }), endWaitMs);
  const services = isRefusal(answer) ? null : readServiceStatuses(answer?.services);
  const after = seen();
  // A reset may have started or ended while the services were asked. In both cases they count as
  // being reset.
  return {
    ...after,
    isResetting: before.isResetting || after.isResetting,
    services,
    layout: findCurrentLayout(context),
  };
}

/**
 * Records when a person last followed the chat of the owner of a sandbox that is about to pause: a
 * browser that follows it now keeps the sandbox up. The owner is asked only before a pause, so
 * that until then a stream costs the sandbox nothing.
 */
export async function recordReaders({ env, calls, shell }: SandboxContext): Promise<void> {
  const sandbox = calls.sandbox();
  const owner = sandbox.owner && findTurnOwner(sandbox.owner);
  const now = Date.now();
  if (sandbox.state !== "running" || !owner || now < getIdleFrom(sandbox, now, getLeastIdleMs(env))) return;
  try {
    const readAt = await getTurnOwnerObject(env, owner).lastReadAt();
    if (readAt !== null) shell.decide((current) => recordReading(current, readAt));
  } catch (error) {
    // Counts as nobody looking, because a sandbox must not run forever only because its owner does
    // not respond.
    log.warn("sandbox.readers_unknown", { sandboxKey: calls.key, error });
  }
}
