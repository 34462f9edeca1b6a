// The work of an agent in its sandbox: turns, and the summary of its conversation. Both wake the
// sandbox and keep it from going idle.

import { isRefusal, type Refusal } from "../../src/rules/refusal.ts";
import { SandboxUnreachable } from "../../src/sandbox/program/driver.ts";
import {
  addHolder,
  findProtocol,
  release,
  type Sandbox,
  type SandboxHolder,
} from "../../src/sandbox/rules/lifecycle.ts";
import { pauseDeadlineMs } from "../../src/sandbox/rules/pause.ts";
import { isUnderstood } from "../../src/sandbox/rules/program-version.ts";
import type { CompactionRequest, TurnHandover, TurnRequest } from "../../src/sandbox/turn-request.ts";
import type { Compacted } from "../../src/sandbox-protocol/protocol.ts";
import { getTurnOwnerObject } from "../address.ts";
import type { SandboxContext } from "./context.ts";
import { retireOutdated } from "./lifecycle.ts";
import { saveWork } from "./saved-work.ts";
import { findCurrentSettings } from "./settings.ts";
import { compactInProgram } from "./start-compaction.ts";
import { leaving, startTurnInProgram } from "./start-turn.ts";

/**
 * Wakes the sandbox and hands it a turn, which holds it until it is released. Throws if the attempt
 * must be repeated.
 */
export async function startTurnInSandbox(context: SandboxContext, request: TurnRequest): Promise<TurnHandover> {
  const { env, calls, shell } = context;
  const settings = () => findCurrentSettings(context, request.sandboxOwner.projectId);
  const hold = () => void shell.decide((sandbox, now) => addHolder(sandbox, toHolder(request), now));
  const isHeldByOther = () => calls.sandbox().holders.some(({ turnId }) => turnId !== request.turnId);
  if (!isUnderstood(findProtocol(calls.sandbox())) && isHeldByOther())
    throw new Error("the sandbox runs a program of another version, with another turn in it");
  const handOver = async (sandbox: Sandbox): Promise<TurnHandover> => {
    const program = calls.program();
    const taken = await startTurnInProgram(env, { key: calls.key, sandbox, program, request, settings, hold });
    if (taken !== leaving) return taken;
    // Another turn is still running in the sandbox. The sandbox is replaced after that turn ends.
    if (isHeldByOther()) throw new Error("the sandbox is about to end, with another turn in it");
    await saveWork(context, sandbox.generation);
    throw new SandboxUnreachable(true);
  };
  // The turn was accepted, so it waits as long as a pause may take.
  const outcome = await calls.wakeAndRun(request.sandboxOwner, handOver, pauseDeadlineMs);
  return isRefusal(outcome) ? { taken: false, conversationMissing: false, error: outcome.message } : outcome;
}

/**
 * Releases the sandbox from a turn that has ended. If the turn changed files, its work is saved
 * first. An outdated program is retired after that.
 */
export function releaseSandbox(context: SandboxContext, turnId: string): void {
  const { calls, shell } = context;
  const reads = calls.sandbox().holders.find((holder) => holder.turnId === turnId)?.reads;
  shell.decide((sandbox, now) => release(sandbox, turnId, now));
  if (reads) retireOutdated(context);
}

/** Ends a turn's agent and processes. Returns false if no sandbox runs that could have them. */
export async function stopTurnInSandbox({ calls }: SandboxContext, turnId: string): Promise<boolean> {
  if (calls.sandbox().state !== "running") return false;
  return (await calls.runUnlessGone(() => calls.program().stopTurn(turnId))) !== undefined;
}

/**
 * Wakes the sandbox, holds it, and has it summarize the agent's conversation. Throws if the attempt
 * must be repeated.
 */
export async function compactInSandbox(
  { env, calls, shell }: SandboxContext,
  request: CompactionRequest,
): Promise<Compacted | Refusal> {
  const { state, archiveKey } = calls.sandbox();
  if (state === "absent" && archiveKey === null) return { compacted: false };
  try {
    const compact = (sandbox: Sandbox) => {
      shell.decide((current, now) => addHolder(current, { turnId: request.commandId, owner: request.owner }, now));
      return compactInProgram(env, { key: calls.key, sandbox, program: calls.program(), request });
    };
    return await calls.wakeAndRun(request.sandboxOwner, compact, pauseDeadlineMs);
  } finally {
    shell.decide((sandbox, now) => release(sandbox, request.commandId, now));
  }
}

/**
 * Releases the sandbox from turns that ended without a release. Otherwise they would keep it awake
 * forever.
 */
export async function releaseFromOver({ env, calls, shell }: SandboxContext): Promise<void> {
  const sandbox = calls.sandbox();
  if (sandbox.state !== "running") return;
  const { holders, generation } = sandbox;
  await Promise.all(
    holders.map(async ({ turnId, owner }) => {
      if (await getTurnOwnerObject(env, owner).isTurnLive({ turnId, generation })) return;
      shell.decide((current, now) => release(current, turnId, now));
    }),
  );
}

const toHolder = ({ turnId, owner, profile }: TurnRequest): SandboxHolder => ({
  turnId,
  owner,
  reads: !profile.writes,
});
