// Performs the effects of a sandbox object, and handles its reminders.

import { getLeastIdleMs } from "../../src/one-machine.ts";
import type { Reminder, SandboxEffect, SandboxReminder } from "../../src/rules/effect.ts";
import { refuse } from "../../src/rules/refusal.ts";
import { hasContainers } from "../../src/sandbox/program/choose-driver.ts";
import { startFailed } from "../../src/sandbox/rules/lifecycle.ts";
import { pauseIfIdle } from "../../src/sandbox/rules/pause.ts";
import type { SandboxContext } from "./context.ts";
import { endOverduePause, endPreviousContainer, endSandbox, pauseSandbox, retireOutdated } from "./lifecycle.ts";
import { createMissingPrebuild } from "./prebuild.ts";
import { deleteSandboxWork, saveChanges, saveWork } from "./saved-work.ts";
import { restartServices, startStoppedServices } from "./services.ts";
import { startSandbox } from "./start.ts";
import { recordReaders } from "./status.ts";
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
  const { calls } = context;
  const { id: generation } = effect;
  if (effect.type === "leave-container") return await endPreviousContainer(context, effect.left);
  if (calls.sandbox().generation !== generation) return;
  switch (effect.type) {
    case "start":
      return await startSandbox(context, generation);
    case "save":
      await scheduler.wait(saveDelayMs);
      if (calls.sandbox().state !== "running") return;
      await saveWork(context, generation);
      await saveChanges(context);
      return void retireOutdated(context);
    case "make-base":
      return await createMissingPrebuild(context, effect.movedMs ?? null);
    case "pause":
      return await pauseSandbox(context, generation);
    case "restart-services":
      return await restartServices(context, generation);
    case "start-services":
      return await startStoppedServices(context);
    case "end":
      return await endSandbox(context, generation);
    case "drop-work":
      if (calls.sandbox().state !== "absent") return;
      await calls.settled({ type: "save", id: generation });
      if (!hasContainers(context.env)) await calls.driver.discard();
      return await deleteSandboxWork(context.env, calls.key);
    case "destroy":
      await endSandbox(context, generation);
      // A running save would store its work after this deletion. If the sandbox is gone, the save
      // deletes that work itself.
      await Promise.all([
        calls.settled({ type: "save", id: generation }),
        calls.settled({ type: "pause", id: generation }),
      ]);
      // The saved work goes also where the disk cannot be deleted yet.
      await Promise.all([calls.driver.discard(), deleteSandboxWork(context.env, calls.key)]);
      context.store.dropContent();
      return;
  }
}

/** Handles a reminder that is due. */
export async function handleSandboxReminder(context: SandboxContext, name: SandboxReminder): Promise<void> {
  const { calls, shell } = context;
  const { generation } = calls.sandbox();
  switch (name) {
    case "idle":
      await releaseFromOver(context);
      retireOutdated(context);
      await recordReaders(context);
      shell.decide((sandbox, now) => pauseIfIdle(sandbox, now, getLeastIdleMs(context.env)));
      return;
    case "pause-overdue":
      return endOverduePause(context);
    case "start-overdue":
      shell.decide((sandbox, now) => startFailed(sandbox, generation, startOverdue, now));
      return;
  }
}
