// Reports the steps of a start to the session that waits for it. Nothing waits for a report, and a
// report that is lost is followed by the next one.
import {
  type BootStepName,
  endStep,
  getSetupReadPause,
  newBoot,
  readLogEnd,
  startStep,
} from "../../src/chat/rules/boot.ts";
import type { Env } from "../../src/env.ts";
import { log } from "../../src/lib/log.ts";
import { bootReportsEveryMs } from "../../src/rules/limits.ts";
import { isRefusal } from "../../src/rules/refusal.ts";
import type { ProgramClient } from "../../src/sandbox/program/client.ts";
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
  /** Runs a checkout, and reports the last lines that its setup prints. */
  watchSetup<Result>(program: Pick<ProgramClient, "setupOutput">, run: () => Promise<Result>): Promise<Result>;
  /** No report follows. */
  close(): void;
}

/** Creates the reports of one start. Only a session has readers of them. */
export function createBootProgress(env: Env, owner: SandboxOwner): BootProgress {
  let boot = newBoot;
  let reportedAt = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;

  function report(): void {
    timer = undefined;
    reportedAt = Date.now();
    getSessionObject(env, owner.id)
      .showBoot(boot)
      .catch((error: unknown) => log.debug("sandbox.boot_not_shown", { sessionId: owner.id, error }));
  }

  function change(next: typeof boot): void {
    boot = next;
    if (owner.type === "session")
      timer ??= setTimeout(report, Math.max(0, reportedAt + bootReportsEveryMs - Date.now()));
  }

  async function followSetup(program: Pick<ProgramClient, "setupOutput">, isOver: AbortSignal): Promise<void> {
    for (const startedAt = Date.now(); ; ) {
      await scheduler.wait(getSetupReadPause(Date.now() - startedAt), { signal: isOver });
      const output = await program.setupOutput();
      // An earlier version of the program does not know the call.
      if (isOver.aborted || !output.ok) return;
      const logEnd = readLogEnd(output.value.end);
      if (logEnd !== boot.logEnd) change({ ...boot, logEnd });
    }
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
        isDone = !isRefusal(result);
        detail = describeStep(result);
        return result;
      } finally {
        change(endStep(boot, { name, status: isDone ? "completed" : "failed", detail }, Date.now()));
      }
    },
    async watchSetup(program, run) {
      if (owner.type !== "session") return await run();
      const over = new AbortController();
      followSetup(program, over.signal).catch((error: unknown) => {
        if (!over.signal.aborted) log.debug("sandbox.boot_not_shown", { sessionId: owner.id, error });
      });
      try {
        return await run();
      } finally {
        over.abort();
      }
    },
    close() {
      if (timer !== undefined) clearTimeout(timer);
    },
  };
}
