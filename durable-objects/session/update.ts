// Changes to a session that take more than a decision: a turn is stopped first, or a pull request changed on the code host. While one is
// under way, no other comes between.
import { codeHost } from "../../src/code-host/code-host.ts";
import { newId } from "../../src/ids.ts";
import { catalog } from "../../src/models/catalog.ts";
import { type Actor, service } from "../../src/rules/access/actor.ts";
import { stopSettleMs } from "../../src/rules/chat/stop.ts";
import { isUnfinished } from "../../src/rules/chat/turn.ts";
import type { Idempotency } from "../../src/rules/idempotency.ts";
import type { ModelCircumstances } from "../../src/rules/model/model.ts";
import { endByPullRequest } from "../../src/rules/pull-request/code-host-event.ts";
import { type PullRequestMove, pullRequestMove } from "../../src/rules/pull-request/pull-request.ts";
import { isRefusal, type Refusal, refuse } from "../../src/rules/refusal.ts";
import { isCommandRunning, type RuntimeCommand, runCommand } from "../../src/rules/session/runtime-command.ts";
import { isEnded, type SessionState, type SessionStatus } from "../../src/rules/session/session.ts";
import { deleteSession, type SessionChanges, updateSession } from "../../src/rules/session/update.ts";
import { findProject } from "../../src/storage/queries/projects.ts";
import { sandboxObject } from "../address.ts";
import { cancel } from "../chat/stop.ts";
import { noSession, type SessionContext } from "./context.ts";

/** Longer than a stop can take, for a sandbox that does not confirm one is discarded. */
const stopWaitMs = stopSettleMs + 2_000;
const forgetWaitMs = 5_000;

/** Changes fields, model, Assignee or status. */
export async function update(
  context: SessionContext,
  changes: SessionChanges,
  by: Actor,
  { runnable }: Pick<ModelCircumstances, "runnable">,
): Promise<SessionState | Refusal> {
  const changed = await context.exclusively(async () => {
    const before = context.store.find();
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
    if (ends && !isEnded(before.session.status)) await stopTurn(context, by);
    const pullRequest = await changePullRequest(context, before, status);
    if (isRefusal(pullRequest)) return pullRequest;
    return context.decide(by, (state, now) => updateSession(state, changes, { ...facts, pullRequest }, now));
  });
  return isRefusal(changed) ? changed : (context.store.find() ?? noSession);
}

/** Ends the session as its pull request ended. Throws while that cannot be. */
export async function followPullRequest(context: SessionContext): Promise<void> {
  const state = context.store.find();
  const status = state && endByPullRequest(state);
  if (status === null) return;
  const ended = await update(context, { status }, service, { runnable: new Set() });
  if (isRefusal(ended)) throw new Error(ended.message);
}

/** Starts a runtime command. */
export function runAgentCommand(
  context: SessionContext,
  { by, ...order }: { command: RuntimeCommand; instructions: string | null; by: Actor },
  repeat: Idempotency | null,
) {
  const id = newId();
  return (
    context.checkIdle() ?? context.decideOnce(by, repeat, (state, now) => runCommand(state, { id, ...order }, now))
  );
}

/** Deletes the session. Answers once no list shows it. */
export async function remove(context: SessionContext, by: Actor): Promise<Refusal | null> {
  return await context.exclusively(async () => {
    await stopTurn(context, by);
    const removed = context.decide(by, deleteSession);
    if (isRefusal(removed)) return removed;
    await Promise.race([context.shell.settled("forget-session"), scheduler.wait(forgetWaitMs)]);
    return null;
  });
}

/** Pauses the sandbox, after the turn that runs in it was stopped. False when there is none to pause, or somebody kept it awake. */
export async function stopSandbox(context: SessionContext, by: Actor): Promise<boolean> {
  const { session } = context.store.find() ?? {};
  if (!session || isCommandRunning(session)) return false;
  // No turn may start between the end of one and the pause.
  const sandbox = sandboxObject(context.env, session.sandboxKey);
  const retired = await context.exclusively(async () => {
    await stopTurn(context, by);
    return isUnfinished(context.store.find()?.chat.turn ?? null) ? null : await sandbox.stopGracefully();
  });
  if (retired === null || isRefusal(retired)) return false;
  // From here on a message may come between.
  return await sandbox.hasStopped(retired);
}

/** A message that resumes a session turns its pull request back into a draft first. */
export async function reopenPullRequest(
  context: SessionContext,
  state: SessionState,
  to: SessionStatus,
): Promise<PullRequestMove | null | Refusal> {
  if (pullRequestMove(state.session, to) === null) return null;
  return await context.exclusively(() => changePullRequest(context, state, to));
}

async function changePullRequest(
  { env }: SessionContext,
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

async function stopTurn(context: SessionContext, by: Actor): Promise<void> {
  const turn = context.store.find()?.chat.turn ?? null;
  if (isUnfinished(turn)) await cancel(context.chat, { turnId: turn.id, by }, stopWaitMs);
}
