// Stops the running turn of a session, and its sandbox.
import type { Actor } from "../../src/access/rules/actor.ts";
import { isUnfinished } from "../../src/chat/rules/turn.ts";
import { stopSettleMs } from "../../src/chat/rules/turn-end.ts";
import { isRefusal } from "../../src/rules/refusal.ts";
import { isCommandRunning } from "../../src/session/rules/runtime-command.ts";
import { sandboxObject } from "../address.ts";
import { cancel } from "../chat/effects.ts";
import { within } from "../object/timeout.ts";
import type { SessionContext } from "./context.ts";

/** Longer than any stop takes: a sandbox that does not confirm one is discarded before this. */
const stopWaitMs = stopSettleMs + 2_000;

/** Stops the unfinished turn, and waits until it has ended. */
export async function stopTurn(context: SessionContext, by: Actor): Promise<void> {
  const turn = context.store.find()?.chat.turn ?? null;
  if (isUnfinished(turn)) await cancel(context.chat, { turnId: turn.id, by }, stopWaitMs);
}

/** Stops the running turn, then pauses the sandbox. False if there is none to pause, or somebody kept it awake. */
export async function stopSandbox(context: SessionContext, by: Actor): Promise<boolean> {
  const { session } = context.store.find() ?? {};
  if (!session || isCommandRunning(session)) return false;
  // No turn may start between the stop and the pause.
  const sandbox = sandboxObject(context.env, session.sandboxKey);
  const pause = await context.exclusively(async () => {
    await stopTurn(context, by);
    return isUnfinished(context.store.find()?.chat.turn ?? null) ? null : await sandbox.stopGracefully();
  });
  if (pause === null || isRefusal(pause)) return false;
  // While the pause is waited for, other calls may change the session again.
  return await sandbox.hasStopped(pause);
}

/** Pauses the sandbox, because nothing is to run in it. An agent that is being stopped there is waited for. */
export async function releaseSandbox({ env, store, shell }: SessionContext): Promise<void> {
  const stopped = store.find()?.chat.turn;
  if (stopped) await within(shell.settled(`stop-turn:${stopped.id}`), stopWaitMs);
  const { session, chat } = store.find() ?? {};
  // A turn that has started since keeps the sandbox.
  if (session && !isUnfinished(chat?.turn ?? null)) await sandboxObject(env, session.sandboxKey).stopGracefully();
}
