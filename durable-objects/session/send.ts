// The calls that start work in a session: a first message, a send, a waiting message sent now, an
// activation, a resume.

import type { Actor, Sender } from "../../src/access/rules/actor.ts";
import type { ClarificationQuestion } from "../../src/chat/rules/block.ts";
import type { Delivery } from "../../src/chat/rules/send.ts";
import { createId } from "../../src/lib/ids.ts";
import { findPreferredModel } from "../../src/model/rules/choice.ts";
import { type Decision, decided } from "../../src/rules/decision.ts";
import type { SessionEffect } from "../../src/rules/effect.ts";
import type { Idempotency } from "../../src/rules/idempotency.ts";
import { isRefusal, type Refusal } from "../../src/rules/refusal.ts";
import { claimBacklogPlace } from "../../src/session/queries/index.ts";
import { decideAfterReview, type ReviewFacts } from "../../src/session/rules/leave-under-review.ts";
import { findPullRequestMove } from "../../src/session/rules/pull-request/ready-or-draft.ts";
import { checkNotItself, resumeQueue, send, sendQueued } from "../../src/session/rules/send.ts";
import type { NewSession, SessionState } from "../../src/session/rules/session.ts";
import { activate, backlogFull, startSession } from "../../src/session/rules/start.ts";
import { toSummary } from "../../src/session/rules/summary.ts";
import { steerMessage, updateQueue } from "../chat/queue.ts";
import type { QueueChange } from "../chat/rpc.ts";
import { noSession, type SessionContext } from "./context.ts";
import { withPullRequest } from "./pull-request/status.ts";
import type { FirstMessage, SendRequest, Sent, StartedSession, StartResult, WorkFacts } from "./rpc.ts";
import { startSessionWork, startWork } from "./start-work.ts";

/** Creates the session, and starts its first turn if it has a message. */
export async function createSession(
  context: SessionContext,
  command: NewSession,
  { by, first }: { by: Sender; first: FirstMessage | null },
  repeat: Idempotency | null,
): Promise<StartedSession | Refusal> {
  const ids = { messageId: createId(), turnId: createId() };
  const full = await claimBacklog(context, command, by, repeat);
  if (full) return full;
  const started = startSessionWork(context, { by, facts: first?.facts ?? null, repeat }, (state, facts, now) => {
    const message = first &&
      facts && { command: { ...first.request, ...ids, by }, facts: { ...facts, runningTurnWasStopped: false } };
    return asStarted(state ? decided(state, null) : startSession(command, { by, first: message }, now));
  });
  const start = await listed(context, started);
  if (isRefusal(start)) return start;
  const { delivery } = start;
  return { ...start, isRepeat: first !== null && !(delivery?.delivery === "job" && delivery.turnId === ids.turnId) };
}

/**
 * Claims a place for a session that starts in the Backlog. Its row is written first, so that the
 * limit of the workspace is checked with it.
 */
async function claimBacklog(
  { env, store, results }: SessionContext,
  command: NewSession,
  by: Sender,
  repeat: Idempotency | null,
): Promise<Refusal | null> {
  if (command.status !== "backlog" || store.find() !== null) return null;
  // The session of the first request may have been deleted. Its row must not come back.
  if (repeat !== null && results.find(repeat, Date.now()) !== null) return null;
  const started = startSession(command, { by, first: null }, Date.now());
  if (isRefusal(started)) return started;
  return (await claimBacklogPlace(env.DB, started.state)) ? null : backlogFull;
}

export async function sendMessage(
  context: SessionContext,
  request: SendRequest,
  workFacts: WorkFacts,
  repeat: Idempotency | null,
): Promise<Sent | Refusal> {
  const ids = { messageId: createId(), turnId: createId() };
  const delivery = await startWork(context, { by: request.by, facts: workFacts, repeat }, (state, facts, now) => {
    const questions = request.answers?.length ? questionsWaiting(context, state) : [];
    const command = { ...request, ...ids, seen: facts.acquired?.seen ?? request.seen };
    // Checked in each run of the rule, because the turn may be stopped while a slot is claimed.
    const runningTurnWasStopped = wasStopped(context, request.runningTurnId);
    const reviewComments = context.reviewComments.unresolved(request.body.context.reviewCommentIds);
    return send(state, command, { ...facts, runningTurnWasStopped, questions, reviewComments }, now);
  });
  if (isRefusal(delivery)) return delivery;
  const isOurs =
    delivery.delivery === "job" ? delivery.turnId === ids.turnId : delivery.queuedMessageId === ids.messageId;
  return { delivery, isRepeat: !isOurs, steerId: await steerSent(context, request, delivery, repeat) };
}

/** Steers a message that waits although it asked to be steered. Null if no turn takes it. */
async function steerSent(
  context: SessionContext,
  { steers = false, by }: SendRequest,
  delivery: Delivery,
  repeat: Idempotency | null,
): Promise<string | null> {
  if (!steers || delivery.delivery !== "queued") return null;
  // A repeat of the send gets the steer of the first one, or none if that was refused.
  const outcome = toPartOf(repeat, "steered");
  const steerId = await context.once.run(outcome, async () => {
    const steered = await steer(context, delivery.queuedMessageId, by, toPartOf(repeat, "steer"));
    return context.once.decide(outcome, () => (isRefusal(steered) ? null : steered.steerId));
  });
  return isRefusal(steerId) ? null : steerId;
}

/** The key of a part of what a request does. */
const toPartOf = (repeat: Idempotency | null, part: string): Idempotency | null =>
  repeat && { ...repeat, key: `${repeat.key} ${part}` };

export function sendQueuedNow(
  context: SessionContext,
  messageId: string,
  by: Actor,
  workFacts: WorkFacts,
  repeat: Idempotency | null,
): Promise<Delivery | Refusal> {
  const turnId = createId();
  return startWork(context, { by, facts: workFacts, repeat }, (state, facts, now) =>
    sendQueued(state, { messageId, turnId, by }, { ...facts, hasLeft: context.chat.store.hasLeft(messageId) }, now),
  );
}

/** Steers a message into the running turn. A repeat gets the steer of the first request. */
export async function steer(
  context: SessionContext,
  messageId: string,
  by: Actor,
  repeat: Idempotency | null,
): Promise<{ steerId: string } | Refusal> {
  return await context.once.run(repeat, async () => {
    // An object that died after it handed the message over does not do it twice.
    const steered = await steerOnce(context, messageId, by, toPartOf(repeat, "handed"));
    return context.once.decide(repeat, () => steered);
  });
}

async function steerOnce(
  context: SessionContext,
  messageId: string,
  by: Actor,
  repeat: Idempotency | null,
): Promise<{ steerId: string } | Refusal> {
  return await steerMessage(context.chat, { messageId, by }, (rule) =>
    context.once.run(repeat, async () => {
      const busy = context.checkIdle();
      if (busy) return busy;
      const before = context.store.find();
      if (!before) return noSession;
      const decide = (state: SessionState, facts: ReviewFacts, now: number) =>
        decideAfterReview(state, { by, rule }, facts, now);
      const expected = decide(before, { acquired: null }, Date.now());
      if (isRefusal(expected)) return expected;
      const { status } = expected.state.session;
      const steerNow = () =>
        withPullRequest(context, before, status, (pullRequest) =>
          context.decideOnce(by, repeat, (state, now) => decide(state, { acquired: { pullRequest } }, now)),
        );
      return findPullRequestMove(before.session, status) === null
        ? await steerNow()
        : await context.exclusively(steerNow);
    }),
  );
}

/** Changes a waiting message. */
export function updateSessionQueue({ chat, store }: SessionContext, change: QueueChange): Refusal | null {
  const { session } = store.find() ?? {};
  const itself = session && change.type === "edit" ? checkNotItself(session, change.by) : null;
  return itself ?? updateQueue(chat, change);
}

export function activateSession(
  context: SessionContext,
  request: Omit<SendRequest, "body">,
  workFacts: WorkFacts,
  repeat: Idempotency | null,
): Promise<StartResult | Refusal> {
  const ids = { messageId: createId(), turnId: createId() };
  const started = startWork(context, { by: request.by, facts: workFacts, repeat }, (state, facts, now) =>
    asStarted(activate(state, { ...request, ...ids }, { ...facts, runningTurnWasStopped: false }, now)),
  );
  return listed(context, started);
}

/** Returns once lists can show the session. */
async function listed(
  { shell }: SessionContext,
  start: Promise<StartResult | Refusal>,
): Promise<StartResult | Refusal> {
  const started = await start;
  await shell.settled({ type: "index-session" });
  return started;
}

export function resume(
  context: SessionContext,
  by: Actor,
  workFacts: WorkFacts,
  repeat: Idempotency | null,
): Promise<null | Refusal> {
  const turnId = createId();
  return startWork(context, { by, facts: workFacts, repeat }, (state, facts, now) => {
    const { assigneeDefaultModel, workspaceDefaultModel } = facts;
    const modelIfNone = findPreferredModel([assigneeDefaultModel, workspaceDefaultModel], facts);
    return resumeQueue(state, { turnId, modelIfNone, by }, facts, now);
  });
}

function asStarted(
  decision: Decision<SessionState, Delivery | null, SessionEffect>,
): Decision<SessionState, StartResult, SessionEffect> {
  if (isRefusal(decision)) return decision;
  const { state, result: delivery, effects } = decision;
  return decided(state, { session: toSummary(state), delivery }, effects);
}

/** The newest turn's questions, if they wait for an answer. */
function questionsWaiting(
  { chat: { conversation } }: SessionContext,
  { chat: { turn } }: SessionState,
): ClarificationQuestion[] {
  return turn?.status === "awaiting_response" ? conversation.listQuestions(turn.id) : [];
}

function wasStopped({ chat: { store } }: SessionContext, turnId: string | null): boolean {
  return turnId !== null && store.turn(turnId)?.status === "cancelled";
}
