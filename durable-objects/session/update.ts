// Changes of a session by an update: its fields, model, Assignee and status. An update may first
// have to stop the turn, or change the pull request on the code host. No other change comes
// between.
import { type Actor, service } from "../../src/access/rules/actor.ts";
import { stopSettleMs } from "../../src/chat/rules/stop.ts";
import { isUnfinished } from "../../src/chat/rules/turn.ts";
import { waitAtMost } from "../../src/lib/timeout.ts";
import { catalog } from "../../src/model/catalog.ts";
import type { TurnModelFacts } from "../../src/model/rules/choice.ts";
import { isRefusal, type Refusal } from "../../src/rules/refusal.ts";
import { deleteSession } from "../../src/session/rules/delete.ts";
import { findEndByPullRequest } from "../../src/session/rules/pull-request/code-host-event.ts";
import { isCommandRunning } from "../../src/session/rules/runtime-command.ts";
import type { SessionState } from "../../src/session/rules/session.ts";
import { isEnded } from "../../src/session/rules/status.ts";
import { type SessionChanges, updateSession } from "../../src/session/rules/update.ts";
import { getSandboxObject } from "../address.ts";
import { cancel } from "../chat/effects.ts";
import { waitForUsageReport } from "../chat/model-calls.ts";
import { noSession, type SessionContext } from "./context.ts";
import { withPullRequest } from "./pull-request/status.ts";

/**
 * The longest wait for the code host to compare the branch with a new Target Branch. If that takes
 * longer, the branch is compared after the response.
 */
const compareWaitMs = 3_000;

/** Changes fields, model, Assignee or status. */
export async function update(
  context: SessionContext,
  changes: SessionChanges,
  by: Actor,
  { runnable }: Pick<TurnModelFacts, "runnable">,
): Promise<SessionState | Refusal> {
  const changed = await context.exclusively(async () => {
    const before = context.store.find();
    if (!before) return noSession;
    const { status = before.session.status } = changes;
    const ends = isEnded(status);
    const facts = { by, catalog, runnable, pullRequest: null };
    // An update that is refused anyway must not stop a turn or change a pull request.
    const expected = updateSession(
      ends ? { ...before, chat: { ...before.chat, turn: null } } : before,
      changes,
      facts,
      Date.now(),
    );
    if (isRefusal(expected)) return expected;
    if (ends && !isEnded(before.session.status)) await stopTurn(context, by);
    return await withPullRequest(context, before, status, (pullRequest) =>
      context.decide(by, (state, now) => updateSession(state, changes, { ...facts, pullRequest }, now)),
    );
  });
  if (isRefusal(changed)) return changed;
  if (changes.targetBranch !== undefined)
    await waitAtMost(context.shell.settled({ type: "compare-branch" }), compareWaitMs);
  // The next request finds the session in the database, and lists show it as in this response.
  await context.shell.settled({ type: "index-session" });
  return context.store.find() ?? noSession;
}

/**
 * Ends the session because its pull request has ended. Throws if that is not possible now, so that
 * it is tried again.
 */
export async function endWithPullRequest(context: SessionContext): Promise<void> {
  const state = context.store.find();
  const status = state && findEndByPullRequest(state);
  if (status === null) return;
  const ended = await update(context, { status }, service, { runnable: new Set() });
  if (isRefusal(ended)) throw new Error(ended.message);
}

/** Longer than any stop takes: a sandbox that does not confirm one is discarded before this. */
const stopWaitMs = stopSettleMs + 2_000;

/** Stops the unfinished turn, and waits until it has ended. */
async function stopTurn(context: SessionContext, by: Actor): Promise<void> {
  const turn = context.store.find()?.chat.turn ?? null;
  if (isUnfinished(turn)) await cancel(context.chat, { turnId: turn.id, by }, stopWaitMs);
}

/**
 * Stops the running turn, then pauses the sandbox. Returns false if there is none to pause, or if
 * it was kept awake.
 */
export async function stopSandbox(context: SessionContext, by: Actor): Promise<boolean> {
  const { session } = context.store.find() ?? {};
  if (!session || isCommandRunning(session)) return false;
  // No turn may start between the stop and the pause.
  const sandbox = getSandboxObject(context.env, session.sandboxKey);
  const pause = await context.exclusively(async () => {
    await stopTurn(context, by);
    return isUnfinished(context.store.find()?.chat.turn ?? null) ? null : await sandbox.stopGracefully();
  });
  if (pause === null || isRefusal(pause)) return false;
  // While this waits for the pause, other calls may change the session again.
  return await sandbox.waitUntilStopped(pause);
}

/**
 * Pauses the sandbox, because nothing is to run in it. Waits for an agent that is being stopped
 * there.
 */
export async function releaseSandbox({ env, store, shell }: SessionContext): Promise<void> {
  const stopped = store.find()?.chat.turn;
  if (stopped) await waitAtMost(shell.settled({ type: "stop-turn", id: stopped.id }), stopWaitMs);
  const { session, chat } = store.find() ?? {};
  // A turn that has started since then still needs the sandbox.
  if (session && !isUnfinished(chat?.turn ?? null)) await getSandboxObject(env, session.sandboxKey).stopGracefully();
}

const forgetWaitMs = 5_000;

/** Stops the running turn, deletes the session, and returns once no list shows it. */
export async function stopAndDelete(context: SessionContext, by: Actor): Promise<Refusal | null> {
  return await context.exclusively(async () => {
    await stopTurn(context, by);
    const { turn } = context.store.find()?.chat ?? {};
    // The counts of a session are deleted with it, so its usage is reported first.
    if (turn) await waitAtMost(waitForUsageReport(context, turn.id), forgetWaitMs);
    const removed = context.decide(by, deleteSession);
    if (isRefusal(removed)) return removed;
    await waitAtMost(context.shell.settled({ type: "forget-session" }), forgetWaitMs);
    return null;
  });
}
