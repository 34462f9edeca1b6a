// What a session's agent does in its sandbox: turns, and the summary of its conversation. Both wake the sandbox and keep it from going idle.

import { isRefusal, type Refusal } from "../../src/rules/refusal.ts";
import { occupy, release } from "../../src/rules/sandbox/sandbox.ts";
import type { CompactionOrder } from "../../src/sandbox/compaction-request.ts";
import type { Compacted } from "../../src/sandbox/protocol.ts";
import type { OrderOutcome, TurnOrder } from "../../src/sandbox/turn-request.ts";
import { sessionObject } from "../address.ts";
import { compactInProgram } from "./compact-in-program.ts";
import type { SandboxActing } from "./effects.ts";
import { startTurnInProgram } from "./start-turn-in-program.ts";

/** Wakes the sandbox and hands it a turn, which holds it until it is released. Throws when it should be tried again. */
export async function startTurnInSandbox(
  { env, access, shell }: SandboxActing,
  order: TurnOrder,
): Promise<OrderOutcome> {
  const hold = () => void shell.decide((sandbox, now) => occupy(sandbox, order.turnId, now));
  const outcome = await access.inRunning<OrderOutcome>(order.owner, (sandbox) =>
    startTurnInProgram(env, { key: access.key, sandbox, program: access.program(), order, hold }),
  );
  return isRefusal(outcome) ? { taken: false, conversationMissing: false, error: outcome.message } : outcome;
}

/** Ends a turn's agent and processes; false when there is no sandbox that could have them. */
export async function stopTurnInSandbox({ access }: SandboxActing, turnId: string): Promise<boolean> {
  if (access.sandbox().state !== "running") return false;
  return (await access.whileThere(() => access.program().stopTurn(turnId))) !== undefined;
}

/** Wakes the sandbox and has it summarize the agent's conversation, holding it meanwhile. Throws when it should be tried again. */
export async function compactInSandbox(
  { env, access, shell }: SandboxActing,
  order: CompactionOrder,
): Promise<Compacted | Refusal> {
  const { state, archiveKey } = access.sandbox();
  if (state === "absent" && archiveKey === null) return { compacted: false };
  try {
    return await access.inRunning<Compacted | Refusal>(order.owner, (sandbox) => {
      shell.decide((current, now) => occupy(current, order.commandId, now));
      return compactInProgram(env, { key: access.key, sandbox, program: access.program(), order });
    });
  } finally {
    shell.decide((sandbox, now) => release(sandbox, order.commandId, now));
  }
}

/** Lets go of a turn that is over and could not say so: it would keep the sandbox from going idle for good. */
export async function releaseFromOver({ env, access, shell }: SandboxActing): Promise<void> {
  const { state, turnId, owner, generation } = access.sandbox();
  if (state !== "running" || turnId === null || !owner) return;
  if (await sessionObject(env, owner.sessionId).isTurnLive({ turnId, generation })) return;
  shell.decide((sandbox, now) => release(sandbox, turnId, now));
}
