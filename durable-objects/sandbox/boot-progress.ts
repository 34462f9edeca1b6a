// Reports the steps of a start to the session that waits for it. Nothing waits for a report, and a
// report that is lost is followed by the next one.
import { type Boot, type BootStepName, endStep, startStep } from "../../src/chat/rules/boot.ts";
import type { Env } from "../../src/env.ts";
import { log } from "../../src/lib/log.ts";
import { bootReportsEveryMs } from "../../src/rules/limits.ts";
import { isRefusal } from "../../src/rules/refusal.ts";
import type { SandboxOwner } from "../../src/sandbox/rules/owner.ts";
import { getSessionObject } from "../address.ts";

/** The steps that people who wait are shown; the others are short, or a part of these. */
const shownSteps: Record<string, BootStepName | undefined> = {
  claimSlot: "slot",
  findProgram: "machine",
  fillDisk: "files",
  checkOut: "checkout",
  startServices: "services",
};

/** What a step found: how a program was found, or where the files come from. */
function describeStep(result: unknown): string | null {
  if (typeof result !== "object" || result === null || isRefusal(result)) return null;
  if ("how" in result) return String(result.how);
  return "type" in result ? String(result.type) : null;
}

export interface BootProgress {
  /** Runs a step, and reports that it runs and how it ended if people are shown it. */
  watch<Result>(step: string, run: () => Promise<Result>): Promise<Result>;
  /** No report follows. */
  close(): void;
}

/** Creates the reports of one start. Only a session has readers of them. */
export function createBootProgress(env: Env, owner: SandboxOwner): BootProgress {
  let boot: Boot = { steps: [] };
  let reportedAt = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;

  function report(): void {
    timer = undefined;
    reportedAt = Date.now();
    getSessionObject(env, owner.id)
      .showBoot(boot)
      .catch((error: unknown) => log.debug("sandbox.boot_not_shown", { sessionId: owner.id, error }));
  }

  function change(next: Boot): void {
    boot = next;
    if (owner.type === "session")
      timer ??= setTimeout(report, Math.max(0, reportedAt + bootReportsEveryMs - Date.now()));
  }

  return {
    async watch(step, run) {
      const name = shownSteps[step];
      if (name === undefined) return await run();
      change(startStep(boot, name, Date.now()));
      let isDone = false;
      let detail: string | null = null;
      try {
        const result = await run();
        isDone = true;
        detail = describeStep(result);
        return result;
      } finally {
        change(endStep(boot, { name, status: isDone ? "completed" : "failed", detail }, Date.now()));
      }
    },
    close() {
      if (timer !== undefined) clearTimeout(timer);
    },
  };
}
