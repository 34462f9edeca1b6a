// What starts work in a session: a first message, a send, a waiting message sent now, an activation, a resume.
import { newId } from "../../src/ids.ts";
import type { Actor } from "../../src/rules/access/actor.ts";
import type { ClarificationQuestion } from "../../src/rules/chat/block.ts";
import type { Delivery } from "../../src/rules/chat/delivery.ts";
import { type Decision, decided } from "../../src/rules/decision.ts";
import type { SessionEffect } from "../../src/rules/effect.ts";
import type { Idempotency } from "../../src/rules/idempotency.ts";
import { preferredModel } from "../../src/rules/model/model.ts";
import { isRefusal, type Refusal } from "../../src/rules/refusal.ts";
import { resumeUpNext } from "../../src/rules/session/resume.ts";
import { send, sendQueued } from "../../src/rules/session/send.ts";
import type { NewSession, SessionState } from "../../src/rules/session/session.ts";
import { activate, beginWith } from "../../src/rules/session/start.ts";
import { summarize } from "../../src/rules/session/summary.ts";
import type { SessionDesk } from "./context.ts";
import { work, workOn } from "./prepare.ts";
import type { Begun, FirstMessage, SendOrder, Sent, WorkCircumstances } from "./rpc.ts";

/** Begins the session, and its first turn when a message comes with it. */
export function beginSession(
  desk: SessionDesk,
  command: NewSession,
  first: FirstMessage | null,
  repeat: Idempotency | null,
): Promise<Begun | Refusal> {
  const ids = { messageId: newId(), turnId: newId() };
  const begun = work(desk, first?.circumstances ?? null, repeat, (state, facts, now) => {
    const message = first &&
      facts && { command: { ...first.order, ...ids }, facts: { ...facts, runningTurnWasStopped: false } };
    return asBegun(state ? decided(state, null) : beginWith(command, message, now));
  });
  return listed(desk, begun);
}

export async function sendMessage(
  desk: SessionDesk,
  order: SendOrder,
  circumstances: WorkCircumstances,
  repeat: Idempotency | null,
): Promise<Sent | Refusal> {
  const ids = { messageId: newId(), turnId: newId() };
  const runningTurnWasStopped = wasStopped(desk, order.runningTurnId);
  const delivery = await workOn(desk, circumstances, repeat, (state, facts, now) => {
    const questions = order.answers?.length ? questionsWaiting(desk, state) : [];
    const command = { ...order, ...ids, seen: facts.seen ?? order.seen };
    return send(state, command, { ...facts, runningTurnWasStopped, questions }, now);
  });
  if (isRefusal(delivery)) return delivery;
  const isOurs =
    delivery.delivery === "job" ? delivery.turnId === ids.turnId : delivery.queuedMessageId === ids.messageId;
  return { delivery, isRepeat: !isOurs };
}

export function sendQueuedNow(
  desk: SessionDesk,
  messageId: string,
  by: Actor,
  circumstances: WorkCircumstances,
  repeat: Idempotency | null,
): Promise<Delivery | Refusal> {
  const turnId = newId();
  return workOn(desk, circumstances, repeat, (state, facts, now) =>
    sendQueued(state, { messageId, turnId, by }, { ...facts, hasLeft: desk.store.hasLeft(messageId) }, now),
  );
}

export function activateSession(
  desk: SessionDesk,
  order: Omit<SendOrder, "body">,
  circumstances: WorkCircumstances,
  repeat: Idempotency | null,
): Promise<Begun | Refusal> {
  const ids = { messageId: newId(), turnId: newId() };
  const begun = workOn(desk, circumstances, repeat, (state, facts, now) =>
    asBegun(activate(state, { ...order, ...ids }, { ...facts, runningTurnWasStopped: false }, now)),
  );
  return listed(desk, begun);
}

/** Answers once lists can show it. */
async function listed({ shell }: SessionDesk, start: Promise<Begun | Refusal>): Promise<Begun | Refusal> {
  const begun = await start;
  await shell.settled("index-session");
  return begun;
}

export function resume(
  desk: SessionDesk,
  circumstances: WorkCircumstances,
  repeat: Idempotency | null,
): Promise<null | Refusal> {
  const turnId = newId();
  return workOn(desk, circumstances, repeat, (state, facts, now) => {
    const { assigneeDefaultModel, workspaceDefaultModel } = facts;
    const modelIfNone = preferredModel([assigneeDefaultModel, workspaceDefaultModel], facts);
    return resumeUpNext(state, { turnId, modelIfNone }, facts, now);
  });
}

function asBegun(
  decision: Decision<SessionState, Delivery | null, SessionEffect>,
): Decision<SessionState, Begun, SessionEffect> {
  if (isRefusal(decision)) return decision;
  const { state, answer: delivery, effects } = decision;
  return decided(state, { session: summarize(state), delivery }, effects);
}

/** What the newest turn asked, while nobody has answered. */
function questionsWaiting({ conversation }: SessionDesk, { chat: { turn } }: SessionState): ClarificationQuestion[] {
  return turn?.status === "awaiting_response" ? conversation.questionsOf(turn.id) : [];
}

function wasStopped({ store }: SessionDesk, turnId: string | null): boolean {
  return turnId !== null && store.turn(turnId)?.status === "cancelled";
}
