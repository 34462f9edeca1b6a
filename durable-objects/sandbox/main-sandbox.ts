// The main sandbox of a project, as far as its project asks for it: it is brought up, followed on, and found to be lost.
import { reasonOf } from "../../src/error-text.ts";
import { isRefusal, type Refusal } from "../../src/rules/refusal.ts";
import { callOnce } from "../../src/sandbox/program/client.ts";
import { changed } from "../../src/sandbox/rules/lifecycle.ts";
import type { SandboxOwner } from "../../src/sandbox/rules/owner.ts";
import type { Followed } from "../../src/sandbox-protocol/protocol.ts";
import type { SandboxContext } from "./context.ts";
import type { SandboxUp } from "./rpc.ts";
import { settingsInForce } from "./settings.ts";
import { checkoutWanted } from "./settings-checkout-wanted.ts";

/** Brings the sandbox up and waits for it. A running one is only probed. */
export async function bringUp({ access }: SandboxContext, owner: SandboxOwner): Promise<SandboxUp | Refusal> {
  return await access.inRunning(owner, async ({ generation, setupFailure }) => {
    // One that has stopped unnoticed throws, and is started once more.
    await access.program().status();
    return { generation, setupFailure };
  });
}

/** True if nothing of it is left to wake. A sandbox that runs, starts or is being paused is not lost. */
export async function isLost({ env, access }: SandboxContext): Promise<boolean> {
  const { state, archiveKey, failure } = access.sandbox();
  switch (state) {
    case "gone":
    case "absent":
      return true;
    case "paused":
      return failure?.isUnrestorable === true || archiveKey === null || (await env.STORE.head(archiveKey)) === null;
    case "creating":
    case "resuming":
    case "running":
    case "pausing":
      return false;
  }
}

/** Moves a running sandbox's checkout on, and restarts its services if that was a move. A sandbox that is asleep moves on at its next wake. */
export async function followBase(context: SandboxContext, owner: SandboxOwner): Promise<Followed | "asleep" | Refusal> {
  const { env, access, shell } = context;
  const { state, generation } = access.sandbox();
  const settings = await settingsInForce(context, owner.projectId);
  if (state !== "running" || settings === null) return "asleep";
  const wanted = await checkoutWanted(env, { key: access.key, owner, generation }, settings);
  const followed = await access.whileThere(() => callOnce(() => access.program().followBase(wanted)));
  if (followed === undefined) return "asleep";
  if (isRefusal(followed) || !followed.moved) return followed;
  const { services, env: variables } = settings;
  const restarted = await access.askProgram(() =>
    access.program().services({ services, env: variables, restart: true }),
  );
  if (isRefusal(restarted)) console.error("services were not restarted", access.key, reasonOf(restarted.message));
  shell.decide(changed);
  return followed;
}
