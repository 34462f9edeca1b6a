// What starts work in a session: a first message, a send, a waiting message sent now, an activation, a resume. Each is decided once as a
// rehearsal; when it would start a turn, what that takes outside the object is seen to, and then it is decided for good.
import { claimSlotAnew } from "../src/actions/claim-slot.ts";
import { sessionSandboxOwner } from "../src/actions/sandbox-owner.ts";
import { newId } from "../src/ids.ts";
import { catalog } from "../src/models/catalog.ts";
import { glance } from "../src/rules/arrival.ts";
import type { Decision } from "../src/rules/decision.ts";
import { type Delivery, type DeliveryFacts, send, sendQueued } from "../src/rules/delivery.ts";
import type { SessionEffect } from "../src/rules/effect.ts";
import type { Idempotency } from "../src/rules/idempotency.ts";
import { preferredModel } from "../src/rules/model.ts";
import type { Actor } from "../src/rules/queued-message.ts";
import { isRefusal, type Refusal } from "../src/rules/refusal.ts";
import type { NewSession, SessionState } from "../src/rules/session.ts";
import { activate, beginWith } from "../src/rules/session-start.ts";
import { isUnfinished } from "../src/rules/turn.ts";
import { resumeUpNext } from "../src/rules/up-next.ts";
import type { FirstMessage, SendOrder, Sent, WorkCircumstances } from "./session-calls.ts";
import { reopenPullRequest } from "./session-changes.ts";
import { noSession, type SessionDesk } from "./session-desk.ts";

/** Begins the session, and its first turn when a message comes with it. */
export function beginSession(
  desk: SessionDesk,
  command: NewSession,
  first: FirstMessage | null,
  repeat: Idempotency | null,
): Promise<Delivery | null | Refusal> {
  const ids = { messageId: newId(), turnId: newId() };
  return work(desk, first?.circumstances ?? null, repeat, (state, facts, now) => {
    const message = first &&
      facts && { command: { ...first.order, ...ids }, facts: { ...facts, runningTurnWasStopped: false } };
    return state ? { state, answer: null, effects: [] } : beginWith(command, message, now);
  });
}

export async function sendMessage(
  desk: SessionDesk,
  order: SendOrder,
  circumstances: WorkCircumstances,
  repeat: Idempotency | null,
): Promise<Sent | Refusal> {
  const ids = { messageId: newId(), turnId: newId() };
  const runningTurnWasStopped = wasStopped(desk, order.runningTurnId);
  const delivery = await workOn(desk, circumstances, repeat, (state, facts, now) =>
    send(state, { ...order, ...ids, seen: facts.seen ?? order.seen }, { ...facts, runningTurnWasStopped }, now),
  );
  if (isRefusal(delivery)) return delivery;
  const isOurs =
    delivery.delivery === "job" ? delivery.turnId === ids.turnId : delivery.queuedMessageId === ids.messageId;
  return { delivery, isRepeat: !isOurs };
}

export function sendQueuedNow(
  desk: SessionDesk,
  messageId: string,
  actor: Actor,
  circumstances: WorkCircumstances,
  repeat: Idempotency | null,
): Promise<Delivery | Refusal> {
  const turnId = newId();
  return workOn(desk, circumstances, repeat, (state, facts, now) =>
    sendQueued(state, { messageId, turnId, actor }, { ...facts, hasLeft: desk.store.hasLeft(messageId) }, now),
  );
}

export function activateSession(
  desk: SessionDesk,
  order: Omit<SendOrder, "body">,
  circumstances: WorkCircumstances,
  repeat: Idempotency | null,
): Promise<Delivery | null | Refusal> {
  const ids = { messageId: newId(), turnId: newId() };
  return workOn(desk, circumstances, repeat, (state, facts, now) =>
    activate(state, { ...order, ...ids }, { ...facts, runningTurnWasStopped: false }, now),
  );
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

/** The facts of a work; `seen` is the session as it was before something outside was done for it. */
type Facts = DeliveryFacts & { seen?: ReturnType<typeof glance> };
type Work<State, Known, Answer> = (
  state: State,
  facts: Known,
  now: number,
) => Decision<SessionState, Answer, SessionEffect>;

function workOn<Answer>(
  desk: SessionDesk,
  circumstances: WorkCircumstances,
  repeat: Idempotency | null,
  rule: Work<SessionState, Facts, Answer>,
): Promise<Answer | Refusal> {
  return work(desk, circumstances, repeat, (state, facts, now) =>
    state && facts ? rule(state, facts, now) : noSession,
  );
}

async function work<Answer>(
  desk: SessionDesk,
  circumstances: WorkCircumstances | null,
  repeat: Idempotency | null,
  rule: Work<SessionState | null, Facts | null, Answer>,
): Promise<Answer | Refusal> {
  const { store } = desk;
  // What the first answer took, its own request has seen to.
  const known = desk.firstAnswer(repeat);
  if (known) return isRefusal(known) ? known : (known.value as Answer);
  const busy = desk.checkIdle();
  if (busy) return busy;
  const facts: Facts | null = circumstances && { ...circumstances, catalog };
  const before = store.find();
  const rehearsed = rule(before, facts, Date.now());
  if (isRefusal(rehearsed) || !circumstances || !facts) return isRefusal(rehearsed) ? rehearsed : decide(facts);
  const after = rehearsed.state;
  const reopened = before && (await reopenPullRequest(desk, before, after.session.status));
  if (isRefusal(reopened)) return reopened;
  const isAtSandboxLimit = startsTurn(before, after) && !(await hasSlot(desk, after, circumstances));
  const seen = before && reopened ? { seen: glance(before) } : {};
  return decide({ ...facts, ...seen, pullRequest: reopened, isAtSandboxLimit });

  function decide(knownFacts: Facts | null): Answer | Refusal {
    return desk.beginOnce(repeat, (state, now) => rule(state, knownFacts, now));
  }
}

function startsTurn(before: SessionState | null, { turn }: SessionState): boolean {
  return isUnfinished(turn) && turn.id !== before?.turn?.id;
}

/** A turn that has to wake its sandbox claims the slot first, so that a full plan is told at once and not by a turn that fails. */
async function hasSlot(
  { env }: SessionDesk,
  { session }: SessionState,
  { sandbox, isSandboxLimited }: WorkCircumstances,
): Promise<boolean> {
  if (sandbox !== null || !isSandboxLimited) return true;
  return await claimSlotAnew(env, session.sandboxKey, sessionSandboxOwner(session));
}

function wasStopped({ store }: SessionDesk, turnId: string | null): boolean {
  return turnId !== null && store.turn(turnId)?.status === "cancelled";
}
