// Access to a sandbox from within its object: its driver, its program, and how to do something in it whatever state it is in.
import type { Env } from "../src/env.ts";
import { newSecret } from "../src/ids.ts";
import type { SandboxEffect } from "../src/rules/effect.ts";
import { isRefusal, type Refusal, refuse } from "../src/rules/refusal.ts";
import { lost, type Sandbox, type SandboxOwner, touch, wake } from "../src/rules/sandbox.ts";
import { type ProgramAnswer, type ProgramClient, programClient, unwrap } from "../src/sandbox/client.ts";
import { type SandboxDriver, SandboxUnreachable } from "../src/sandbox/driver.ts";
import { hostDriver } from "../src/sandbox/host-driver.ts";
import type { Shell } from "./shell.ts";

export interface SandboxAccess {
  key: string;
  driver: SandboxDriver;
  sandbox(): Sandbox;
  /** The program of the present generation. */
  program(): ProgramClient;
  /** Asks for a running sandbox and does not wait for it. */
  wake(owner: SandboxOwner): "running" | "starting" | Refusal;
  /** Refuses where no sandbox was ever started. */
  refuseNone(): Refusal | null;
  /** Waits until the start under way has come to its end. */
  startSettled(): Promise<void>;
  /** Does something in a running sandbox: wakes it first, and once more when it turns out to have stopped unseen. */
  inRunning<Answer>(owner: SandboxOwner, act: (sandbox: Sandbox) => Promise<Answer>): Promise<Answer | Refusal>;
  /** Asks the program of a sandbox that has to be awake already. */
  inAwake<Value>(ask: () => Promise<ProgramAnswer<Value>>): Promise<Value | Refusal>;
  /** Undefined when the sandbox turns out to be gone, which is then known. */
  whileThere<Answer>(act: () => Promise<Answer>): Promise<Answer | undefined>;
}

export const startRefusal = "The sandbox could not be started. Try again; if it fails again, contact support.";

/** Opens the access to the sandbox of one key. */
export function openSandboxAccess(
  env: Env,
  key: string,
  load: () => Sandbox,
  shell: Shell<Sandbox, SandboxEffect>,
): SandboxAccess {
  const access: SandboxAccess = {
    key,
    driver: hostDriver(env.SANDBOX_HOST_URL, key),
    sandbox: load,
    program: () => programClient(access.driver, load().secret),
    wake: (owner) => shell.decide((sandbox, now) => wake(sandbox, { owner, secret: newSecret() }, now)),
    refuseNone: () =>
      load().generation === 0 ? refuse("BAD_REQUEST", "This session has no sandbox yet. Send a message first.") : null,
    startSettled: () => shell.settled(`start:${load().generation}`),
    async inRunning(owner, act) {
      for (let attempt = 1; attempt <= 2; attempt++) {
        await shell.settled(`pause:${load().generation}`);
        const woken = access.wake(owner);
        if (isRefusal(woken)) return woken;
        if (woken === "starting") await access.startSettled();
        const sandbox = load();
        if (sandbox.state !== "running") return refuse("SERVICE_UNAVAILABLE", sandbox.failure ?? startRefusal);
        const answer = await access.whileThere(() => act(sandbox));
        if (answer !== undefined) return answer;
      }
      return refuse("SERVICE_UNAVAILABLE", startRefusal);
    },
    async inAwake(ask) {
      const asleep = refuse(
        "BAD_REQUEST",
        "The sandbox is not running. Request the preview to wake it, then try again.",
      );
      if (load().state !== "running") return asleep;
      shell.decide((sandbox, now) => touch(sandbox, now));
      const answer = await access.whileThere(ask);
      return answer === undefined ? asleep : unwrap(answer);
    },
    async whileThere(act) {
      const { generation } = load();
      try {
        return await act();
      } catch (error) {
        if (!(error instanceof SandboxUnreachable)) throw error;
        shell.decide((sandbox) => lost(sandbox, generation));
        return undefined;
      }
    },
  };
  return access;
}
