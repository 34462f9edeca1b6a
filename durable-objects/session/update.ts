// Changes to a session that take more than a decision: a turn is stopped first, or a pull request changed on the code host. While one is
// under way, no other comes between.
import { codeHost } from "../../src/code-host/code-host.ts";
import { newId } from "../../src/ids.ts";
import { catalog } from "../../src/models/catalog.ts";
import { cancelTurn, stopSettleMs } from "../../src/rules/chat/stop.ts";
import { isUnfinished } from "../../src/rules/chat/turn.ts";
import type { Idempotency } from "../../src/rules/idempotency.ts";
import type { ModelCircumstances } from "../../src/rules/model/model.ts";
import { endByPullRequest } from "../../src/rules/pull-request/code-host-event.ts";
import { type PullRequestMove, pullRequestMove } from "../../src/rules/pull-request/pull-request.ts";
import { isRefusal, type Refusal, refuse } from "../../src/rules/refusal.ts";
import { isCommandRunning, type RuntimeCommand, runCommand } from "../../src/rules/session/runtime-command.ts";
import { isEnded, type SessionState, type SessionStatus } from "../../src/rules/session/session.ts";
import { endTurn } from "../../src/rules/session/turn-end.ts";
import { deleteSession, type SessionChanges, updateSession } from "../../src/rules/session/update.ts";
import { findProject } from "../../src/storage/queries/projects.ts";
import { sandboxObject } from "../address.ts";
import { noSession, type SessionDesk } from "./context.ts";

/** How long a cancel waits for the sandbox's word before it answers. */
const cancelWaitMs = 900;
/** Longer than a stop can take, for a sandbox that does not confirm one is discarded. */
const stopWaitMs = stopSettleMs + 2_000;
const forgetWaitMs = 5_000;

/** Stops a turn. Answers when it is over, or when the sandbox has been asked and does not answer at once. */
export async function cancel(desk: SessionDesk, turnId: string, waitMs = cancelWaitMs) {
  const answer = desk.decideChat((chat, now) => cancelTurn(chat, { turnId }, now));
  if (isRefusal(answer) || answer.settled) return answer;
  await desk.endings.wait(turnId, waitMs);
  return { settled: !isUnfinished(desk.store.turn(turnId)) };
}

/** Has the sandbox stop a turn. One whose sandbox is gone is over. */
export async function stopInSandbox({ env, store, turnHost, decide }: SessionDesk, turnId: string): Promise<void> {
  const { session } = store.find() ?? {};
  if (!session || turnHost.command(turnId, { type: "stop" })) return;
  if (await sandboxObject(env, session.sandboxKey).stopTurn(turnId)) return;
  const end = { status: "cancelled" as const };
  decide((state, now) => endTurn(state, { turnId, end, nextTurnId: newId(now) }, now));
}

/** Changes fields, model, Assignee or status. */
export async function update(
  desk: SessionDesk,
  changes: SessionChanges,
  { runnable }: Pick<ModelCircumstances, "runnable">,
): Promise<SessionState | Refusal> {
  const changed = await desk.exclusively(async () => {
    const before = desk.store.find();
    if (!before) return noSession;
    const { status = before.session.status } = changes;
    const ends = isEnded(status);
    const facts = { catalog, runnable, pullRequest: null };
    // What would be refused anyway stops no turn and changes no pull request.
    const rehearsed = updateSession(
      ends ? { ...before, chat: { ...before.chat, turn: null } } : before,
      changes,
      facts,
      Date.now(),
    );
    if (isRefusal(rehearsed)) return rehearsed;
    if (ends && !isEnded(before.session.status)) await stopTurn(desk);
    const pullRequest = await changePullRequest(desk, before, status);
    if (isRefusal(pullRequest)) return pullRequest;
    return desk.decide((state, now) => updateSession(state, changes, { ...facts, pullRequest }, now));
  });
  return isRefusal(changed) ? changed : (desk.store.find() ?? noSession);
}

/** Ends the session as its pull request ended. Throws while that cannot be. */
export async function followPullRequest(desk: SessionDesk): Promise<void> {
  const state = desk.store.find();
  const status = state && endByPullRequest(state);
  if (status === null) return;
  const ended = await update(desk, { status }, { runnable: new Set() });
  if (isRefusal(ended)) throw new Error(ended.message);
}

/** Starts a runtime command. */
export function runAgentCommand(
  desk: SessionDesk,
  order: { command: RuntimeCommand; instructions: string | null },
  repeat: Idempotency | null,
) {
  const id = newId();
  return desk.checkIdle() ?? desk.decideOnce(repeat, (state, now) => runCommand(state, { id, ...order }, now));
}

/** Deletes the session. Answers once no list shows it. */
export async function remove(desk: SessionDesk): Promise<Refusal | null> {
  return await desk.exclusively(async () => {
    await stopTurn(desk);
    const removed = desk.decide(deleteSession);
    if (isRefusal(removed)) return removed;
    await Promise.race([desk.shell.settled("forget-session"), scheduler.wait(forgetWaitMs)]);
    return null;
  });
}

/** Pauses the sandbox, after the turn that runs in it was stopped. False when there is none to pause, or somebody kept it awake. */
export async function stopSandbox(desk: SessionDesk): Promise<boolean> {
  const { session } = desk.store.find() ?? {};
  if (!session || isCommandRunning(session)) return false;
  // No turn may start between the end of one and the pause.
  const sandbox = sandboxObject(desk.env, session.sandboxKey);
  const retired = await desk.exclusively(async () => {
    await stopTurn(desk);
    return isUnfinished(desk.store.find()?.chat.turn ?? null) ? null : await sandbox.stopGracefully();
  });
  if (retired === null || isRefusal(retired)) return false;
  // From here on a message may come between.
  return await sandbox.hasStopped(retired);
}

/** A message that resumes a session turns its pull request back into a draft first. */
export async function reopenPullRequest(
  desk: SessionDesk,
  state: SessionState,
  to: SessionStatus,
): Promise<PullRequestMove | null | Refusal> {
  if (pullRequestMove(state.session, to) === null) return null;
  return await desk.exclusively(() => changePullRequest(desk, state, to));
}

async function changePullRequest(
  { env }: SessionDesk,
  { session }: SessionState,
  to: SessionStatus,
): Promise<PullRequestMove | null | Refusal> {
  const move = pullRequestMove(session, to);
  if (move === null || session.prNumber === null) return null;
  const project = await findProject(env.DB, session.projectId);
  if (project === null) return refuse("NOT_FOUND", "The project has been deleted.");
  const { markDraft, markReady } = codeHost(env);
  const mark = move === "draft" ? markDraft : markReady;
  return (await mark(project.repository, session.prNumber)) ?? move;
}

async function stopTurn(desk: SessionDesk): Promise<void> {
  const turn = desk.store.find()?.chat.turn ?? null;
  if (isUnfinished(turn)) await cancel(desk, turn.id, stopWaitMs);
}
