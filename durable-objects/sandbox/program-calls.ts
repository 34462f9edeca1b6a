// Calls from a sandbox object to its sandbox: its driver, its program, and work that runs in the
// sandbox whatever state it is in.
import type { Env } from "../../src/env.ts";
import { createSecret } from "../../src/lib/ids.ts";
import type { PreviewUnavailable } from "../../src/preview/rules/preview.ts";
import { recordVisit } from "../../src/preview/rules/wake-on-visit.ts";
import type { SandboxEffect } from "../../src/rules/effect.ts";
import { isRefusal, type Refusal, refuse } from "../../src/rules/refusal.ts";
import { getSandboxDriver } from "../../src/sandbox/program/choose-driver.ts";
import { callOnce, createProgramClient, type ProgramClient } from "../../src/sandbox/program/client.ts";
import { type SandboxDriver, SandboxUnreachable } from "../../src/sandbox/program/driver.ts";
import type { ProgramAnswer } from "../../src/sandbox/program/response.ts";
import {
  findStartFailure,
  recordChange,
  recordLoss,
  recordView,
  type Sandbox,
  type WakeCommand,
  wake,
} from "../../src/sandbox/rules/lifecycle.ts";
import type { SandboxOwner } from "../../src/sandbox/rules/owner.ts";
import type { Shell } from "../object/shell.ts";
import { cancelPauseOrWait, createLifecycle, type Lifecycle } from "./lifecycle.ts";

export interface ProgramCalls {
  key: string;
  driver: SandboxDriver;
  lifecycle: Lifecycle;
  sandbox(): Sandbox;
  /** The program of the current generation. */
  program(abortSignal?: AbortSignal): ProgramClient;
  /** Asks for a running sandbox without waiting for it. */
  wake(owner: SandboxOwner): "running" | "starting" | Refusal;
  /**
   * Handles a visit to a preview that does not respond: returns the reason, and wakes a paused
   * sandbox that resumes on visits.
   */
  visit(owner: SandboxOwner): PreviewUnavailable | Refusal;
  /**
   * Settles when this effect is done or has failed once; null if it is not being performed.
   */
  settled: Shell<Sandbox, SandboxEffect>["settled"];
  /** Waits for the current start to end. */
  startSettled(): Promise<void>;
  /** True while a call to the program waits for its response. */
  hasCalls(): boolean;
  /**
   * Runs work in a running sandbox. Wakes it first, and once more if it has stopped unnoticed. A
   * pause that cannot be cancelled is waited for, at most `pauseWaitMs`.
   */
  wakeAndRun<Result>(
    owner: SandboxOwner,
    act: (sandbox: Sandbox) => Promise<Result>,
    pauseWaitMs?: number,
  ): Promise<Result | Refusal>;
  /**
   * Calls the program of a sandbox that must already be awake. Otherwise refuses with the caller's
   * message.
   */
  callIfRunning<Value>(asleep: string, ask: () => Promise<ProgramAnswer<Value>>): Promise<Value | Refusal>;
  /**
   * Asks the program without counting as use. Returns undefined if the sandbox is gone, and records
   * that.
   */
  callUnlessGone<Value>(ask: () => Promise<ProgramAnswer<Value>>): Promise<Value | Refusal | undefined>;
  /** Makes a member's change in an existing sandbox, which is woken, and schedules a save. */
  wakeAndChange<Value>(
    owner: SandboxOwner,
    ask: (sandbox: Sandbox) => Promise<ProgramAnswer<Value>>,
  ): Promise<Value | Refusal>;
  /** Schedules a save after a manual change. */
  saveAfter<Result>(change: Promise<Result | Refusal>): Promise<Result | Refusal>;
  /** Calls `act`. Returns undefined if the sandbox is gone, and records that. */
  runUnlessGone<Result>(act: () => Promise<Result>): Promise<Result | undefined>;
}

export const startRefusal = refuse(
  "SERVICE_UNAVAILABLE",
  "The sandbox could not be started. Try again; if it fails again, contact support.",
);

const stopped = "The sandbox stopped each time it was needed. Try again; if it fails again, contact support.";
/** Limits the starts of a sandbox that stops at every call. */
const attempts = 3;
/**
 * How long a request waits for a pause, which saves the work first. After this the request is
 * refused.
 */
const requestPauseWaitMs = 60_000;

/** Creates the calls to the sandbox of a key. */
export function createProgramCalls(
  env: Env,
  key: string,
  load: () => Sandbox,
  shell: Shell<Sandbox, SandboxEffect>,
): ProgramCalls {
  const wakeCommand = (owner: SandboxOwner): WakeCommand => ({
    owner,
    secret: createSecret(),
    program: env.SANDBOX_PROGRAM,
    resumesOnVisit: env.PREVIEW_AUTO_RESUME !== "off",
  });

  let unfinished = 0;
  const calls: ProgramCalls = {
    key,
    driver: getSandboxDriver(env, key, () => load().containerGeneration),
    lifecycle: createLifecycle(),
    sandbox: load,
    program: (abortSignal) => createProgramClient(calls.driver, load(), abortSignal),
    wake: (owner) => shell.decide((sandbox, now) => wake(sandbox, wakeCommand(owner), now)),
    visit: (owner) => shell.decide((sandbox, now) => recordVisit(sandbox, wakeCommand(owner), now)),
    settled: shell.settled,
    startSettled: async () => void (await calls.settled({ type: "start", id: load().generation })),
    hasCalls: () => unfinished > 0,
    async wakeAndRun(owner, act, pauseWaitMs = requestPauseWaitMs) {
      for (let attempt = 1; attempt <= attempts; attempt++) {
        await cancelPauseOrWait({ env, calls, shell }, pauseWaitMs);
        const woken = calls.wake(owner);
        if (isRefusal(woken)) return woken;
        if (woken === "starting") await calls.startSettled();
        const sandbox = load();
        if (sandbox.state !== "running") return findStartFailure(sandbox)?.refusal ?? startRefusal;
        const result = await calls.runUnlessGone(() => act(sandbox));
        if (result !== undefined) return result;
      }
      return refuse("SERVICE_UNAVAILABLE", stopped);
    },
    async callIfRunning(asleep, ask) {
      if (load().state !== "running") return refuse("BAD_REQUEST", asleep);
      shell.decide(recordView);
      const result = await calls.callUnlessGone(ask);
      return result === undefined ? refuse("BAD_REQUEST", asleep) : result;
    },
    callUnlessGone: (ask) => calls.runUnlessGone(() => callOnce(ask)),
    async wakeAndChange(owner, ask) {
      if (load().generation === 0) {
        return refuse("BAD_REQUEST", "This session has no sandbox yet. Send a message first.");
      }
      return await calls.saveAfter(calls.wakeAndRun(owner, (sandbox) => callOnce(() => ask(sandbox))));
    },
    async saveAfter(change) {
      const result = await change;
      if (!isRefusal(result)) shell.decide(recordChange);
      return result;
    },
    async runUnlessGone(act) {
      const { generation } = load();
      unfinished += 1;
      try {
        return await act();
      } catch (error) {
        if (!(error instanceof SandboxUnreachable)) throw error;
        shell.decide((sandbox) => recordLoss(sandbox, generation));
        return undefined;
      } finally {
        unfinished -= 1;
      }
    },
  };
  return calls;
}

/** The program ended during the start. */
export const goneRefusal = refuse(
  "SERVICE_UNAVAILABLE",
  "The sandbox stopped while it was being started. Try again; if it stops again, setup or services may take more memory than it has.",
);

/** The program did not respond during the start. */
export const silentRefusal = refuse(
  "SERVICE_UNAVAILABLE",
  "The sandbox did not answer in time while it was being started. Try again.",
);

/** The program is of an image that is being replaced. */
export const earlierImageRefusal = refuse(
  "SERVICE_UNAVAILABLE",
  "The platform still starts an earlier image of sandboxes. Nothing is lost. Try again in a few minutes.",
);
