// Access to a sandbox from within its object: its driver, its program, and running work in the
// sandbox whatever state it is in.
import type { Env } from "../../src/env.ts";
import { newSecret } from "../../src/lib/ids.ts";
import { within } from "../../src/lib/timeout.ts";
import type { PreviewUnavailable } from "../../src/preview/rules/preview.ts";
import { visit } from "../../src/preview/rules/visit.ts";
import type { SandboxEffect } from "../../src/rules/effect.ts";
import { isRefusal, type Refusal, refuse } from "../../src/rules/refusal.ts";
import { sandboxDriver } from "../../src/sandbox/program/choose-driver.ts";
import { callOnce, type ProgramClient, programClient } from "../../src/sandbox/program/client.ts";
import { type SandboxDriver, SandboxUnreachable } from "../../src/sandbox/program/driver.ts";
import type { ProgramAnswer } from "../../src/sandbox/program/response.ts";
import { changed, lost, type Sandbox, touch, type WakeCommand, wake } from "../../src/sandbox/rules/lifecycle.ts";
import type { SandboxOwner } from "../../src/sandbox/rules/owner.ts";
import { cancelPause, retire } from "../../src/sandbox/rules/pause.ts";
import { isUnderstood } from "../../src/sandbox/rules/program-version.ts";
import type { Shell } from "../object/shell.ts";
import { nothingInFlight, type SandboxInFlight } from "./lifecycle.ts";

export interface SandboxAccess {
  key: string;
  driver: SandboxDriver;
  inFlight: SandboxInFlight;
  /**
   * The base branches that the checkout was asked to track, each with the generation in which it
   * was asked.
   */
  trackedBases: Map<string, number>;
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
  /** Waits for the current start to end. */
  startSettled(): Promise<void>;
  /** Waits until the current pause ends or is cancelled, at most `waitMs`. */
  pauseSettled(waitMs: number): Promise<void>;
  /** Runs work in a running sandbox. Wakes it first, and once more if it has stopped unnoticed. */
  inRunning<Answer>(owner: SandboxOwner, act: (sandbox: Sandbox) => Promise<Answer>): Promise<Answer | Refusal>;
  /**
   * Calls the program of a sandbox that must already be awake. Otherwise refuses with the caller's
   * message.
   */
  inAwake<Value>(asleep: string, ask: () => Promise<ProgramAnswer<Value>>): Promise<Value | Refusal>;
  /**
   * Asks the program without counting as use. Returns undefined if the sandbox is gone, and records
   * that.
   */
  askProgram<Value>(ask: () => Promise<ProgramAnswer<Value>>): Promise<Value | Refusal | undefined>;
  /** Makes a member's change in an existing sandbox, which is woken, and schedules a save. */
  change<Value>(
    owner: SandboxOwner,
    ask: (sandbox: Sandbox) => Promise<ProgramAnswer<Value>>,
  ): Promise<Value | Refusal>;
  /** Schedules a save after a manual change. */
  changing<Answer>(change: Promise<Answer | Refusal>): Promise<Answer | Refusal>;
  /** Calls `act`. Returns undefined if the sandbox is gone, and records that. */
  whileThere<Answer>(act: () => Promise<Answer>): Promise<Answer | undefined>;
}

export const startRefusal = refuse(
  "SERVICE_UNAVAILABLE",
  "The sandbox could not be started. Try again; if it fails again, contact support.",
);

const stopped = "The sandbox stopped each time it was needed. Try again; if it fails again, contact support.";
/** Limits the starts of a sandbox that stops at every call. */
const attempts = 3;
/**
 * How long a wake waits for a pause, which saves the work first. After this the wake is tried
 * again.
 */
const pauseWaitMs = 60_000;

/** Opens the access to the sandbox of one key. */
export function openSandboxAccess(
  env: Env,
  key: string,
  load: () => Sandbox,
  shell: Shell<Sandbox, SandboxEffect>,
): SandboxAccess {
  const wakeCommand = (owner: SandboxOwner): WakeCommand => ({
    owner,
    secret: newSecret(),
    program: env.SANDBOX_PROGRAM,
    resumesOnVisit: env.PREVIEW_AUTO_RESUME !== "off",
  });

  /**
   * Cancels a pause that is still saving. A sandbox with an incompatible program is retired
   * instead, because it is of no use awake.
   */
  function stayAwake(): void {
    if (!isUnderstood(load().protocol))
      return void shell.decide((sandbox, now) => retire(sandbox, env.SANDBOX_PROGRAM, now));
    if (access.inFlight.pause === null) return;
    access.inFlight.pause = null;
    access.inFlight.heldSince = null;
    shell.decide(cancelPause);
    access.inFlight.calledOff.resolve();
    access.inFlight.calledOff = Promise.withResolvers();
  }

  const access: SandboxAccess = {
    key,
    driver: sandboxDriver(env, key, () => load().containerGeneration),
    inFlight: nothingInFlight(),
    trackedBases: new Map(),
    sandbox: load,
    program: (abortSignal) => programClient(access.driver, load(), abortSignal),
    wake: (owner) => shell.decide((sandbox, now) => wake(sandbox, wakeCommand(owner), now)),
    visit: (owner) => shell.decide((sandbox, now) => visit(sandbox, wakeCommand(owner), now)),
    startSettled: async () => void (await shell.settled(`start:${load().generation}`)),
    async pauseSettled(waitMs) {
      const { state, generation } = load();
      if (state !== "pausing") return;
      const { calledOff } = access.inFlight;
      await within(Promise.race([shell.settled(`pause:${generation}`), calledOff.promise]), waitMs);
    },
    async inRunning(owner, act) {
      for (let attempt = 1; attempt <= attempts; attempt++) {
        stayAwake();
        await access.pauseSettled(pauseWaitMs);
        const woken = access.wake(owner);
        if (isRefusal(woken)) return woken;
        if (woken === "starting") await access.startSettled();
        const sandbox = load();
        if (sandbox.state !== "running") return sandbox.failure?.refusal ?? startRefusal;
        const answer = await access.whileThere(() => act(sandbox));
        if (answer !== undefined) return answer;
      }
      return refuse("SERVICE_UNAVAILABLE", stopped);
    },
    async inAwake(asleep, ask) {
      if (load().state !== "running") return refuse("BAD_REQUEST", asleep);
      shell.decide(touch);
      const answer = await access.askProgram(ask);
      return answer === undefined ? refuse("BAD_REQUEST", asleep) : answer;
    },
    askProgram: (ask) => access.whileThere(() => callOnce(ask)),
    async change(owner, ask) {
      if (load().generation === 0) {
        return refuse("BAD_REQUEST", "This session has no sandbox yet. Send a message first.");
      }
      return await access.changing(access.inRunning(owner, (sandbox) => callOnce(() => ask(sandbox))));
    },
    async changing(change) {
      const answer = await change;
      if (!isRefusal(answer)) shell.decide(changed);
      return answer;
    },
    async whileThere(act) {
      const { generation } = load();
      access.inFlight.calls += 1;
      try {
        return await act();
      } catch (error) {
        if (!(error instanceof SandboxUnreachable)) throw error;
        shell.decide((sandbox) => lost(sandbox, generation));
        return undefined;
      } finally {
        access.inFlight.calls -= 1;
      }
    },
  };
  return access;
}
