// Performs the effects of a sandbox object, and handles its reminders.

import { idleTimesOf } from "../../src/one-machine.ts";
import type { Reminder, SandboxEffect, SandboxReminder } from "../../src/rules/effect.ts";
import { refuse } from "../../src/rules/refusal.ts";
import { hasContainers, sandboxDriver } from "../../src/sandbox/program/choose-driver.ts";
import { releaseSlot } from "../../src/sandbox/queries/slots.ts";
import { startFailed } from "../../src/sandbox/rules/lifecycle.ts";
import { paused, pauseIfIdle, pauseOverdue } from "../../src/sandbox/rules/pause.ts";
import type { SandboxContext } from "./context.ts";
import { retireOutdated } from "./lifecycle.ts";
import { makeMissingBase } from "./prebuild.ts";
import { deleteSandboxWork, keepChanges, saveWork } from "./saved-work.ts";
import { restartServices } from "./services.ts";
import { startSandbox } from "./start.ts";
import { noteReaders } from "./status.ts";
import { releaseFromOver } from "./turns.ts";

/**
 * A save waits this long, so that turns in quick succession share one save and do not wait for it.
 */
const saveDelayMs = 200;

const startOverdue = refuse("SERVICE_UNAVAILABLE", "The sandbox took too long to start. Try again.");

/** Performs one effect. Safe to repeat: an effect of an older generation is skipped. */
export async function performSandboxEffect(
  context: SandboxContext,
  effect: Exclude<SandboxEffect, Reminder<SandboxReminder>>,
): Promise<void> {
  const { access, shell } = context;
  const { generation } = effect;
  if (effect.type === "leave-container") return await leaveContainer(context, effect.left);
  if (access.sandbox().generation !== generation) return;
  switch (effect.type) {
    case "start":
      return await startSandbox(context, generation);
    case "save":
      await scheduler.wait(saveDelayMs);
      if (access.sandbox().state !== "running") return;
      await saveWork(context, generation);
      await keepChanges(context);
      return void retireOutdated(context);
    case "make-base":
      return await makeMissingBase(context, effect.movedMs ?? null);
    case "pause":
      return await pause(context, generation);
    case "restart-services":
      return await restartServices(context, generation);
    case "end":
      return await end(context, generation);
    case "drop-work":
      if (access.sandbox().state !== "absent") return;
      await shell.settled(`save:${generation}`);
      return await deleteSandboxWork(context.env, access.key);
    case "destroy":
      await end(context, generation);
      // A running save would store its work after this deletion. If the sandbox is gone, the save
      // deletes that work itself.
      await Promise.all([shell.settled(`save:${generation}`), shell.settled(`pause:${generation}`)]);
      await access.driver.discard();
      context.store.dropContent();
      return await deleteSandboxWork(context.env, access.key);
  }
}

/** Handles a reminder that is due. */
export async function remindSandbox(context: SandboxContext, name: SandboxReminder): Promise<void> {
  const { access, shell } = context;
  const { generation } = access.sandbox();
  switch (name) {
    case "idle":
      await releaseFromOver(context);
      retireOutdated(context);
      await noteReaders(context);
      shell.decide((sandbox, now) => pauseIfIdle(sandbox, now, idleTimesOf(context.env)));
      return;
    case "pause-overdue":
      shell.decide(pauseOverdue);
      access.inFlight.heldSince = null;
      return;
    case "start-overdue":
      shell.decide((sandbox, now) => startFailed(sandbox, generation, startOverdue, now));
      return;
  }
}

async function pause(context: SandboxContext, generation: number): Promise<void> {
  const { access, shell } = context;
  const { inFlight } = access;
  if (access.sandbox().state !== "pausing") return;
  const pausing = Symbol("pause");
  inFlight.pause = pausing;
  inFlight.heldSince ??= Date.now();
  try {
    await saveWork(context, generation);
    // The pause was cancelled meanwhile, or was abandoned because it took too long. Another
    // generation may be running by now.
    if (inFlight.pause !== pausing || access.sandbox().state !== "pausing") return;
  } finally {
    if (inFlight.pause === pausing) inFlight.pause = null;
  }
  // From here on the pause cannot be cancelled. A second save stores what the services wrote during
  // the first one and while they ended.
  await access.whileThere(() => access.program().services({ services: [], env: {}, restart: false }));
  await saveWork(context, generation);
  const isWanted = () => access.sandbox().state === "pausing" && access.sandbox().generation === generation;
  if (!isWanted()) return;
  await end(context, generation, isWanted);
  if (!isWanted()) return;
  shell.decide((sandbox) => paused(sandbox, generation));
  inFlight.heldSince = null;
}

/**
 * Ends a generation. A start waits for the previous end, but not for an abandoned pause, because
 * such a pause does nothing further.
 */
async function end({ env, access, shell }: SandboxContext, generation: number, isWanted = () => true): Promise<void> {
  const { containerGeneration } = access.sandbox();
  const driver = sandboxDriver(env, access.key, () => containerGeneration);
  const { leftBehind } = access.inFlight;
  const stop = () => Promise.race([driver.stop(), leftBehind.promise]);
  access.inFlight.start?.abort(new Error("it was given up"));
  await stop();
  // An aborted start may have started the process again before it stopped.
  await shell.settled(`start:${generation}`);
  if (isWanted()) await stop();
  if (isWanted()) await releaseSlot(env.DB, access.key, Date.now());
}

/**
 * Ends the container of an earlier generation. On a sandbox host, the start itself has already
 * ended the previous process.
 */
async function leaveContainer({ env, access }: SandboxContext, left: number | null): Promise<void> {
  if (hasContainers(env)) await sandboxDriver(env, access.key, () => left).stop();
}
