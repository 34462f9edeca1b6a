// Work: whatever starts a turn is decided once as a rehearsal; when it would start one, what that takes outside the object is seen to, and
// then it is decided for good.
import { claimSlotAnew } from "../../src/actions/sandbox/claim-slot.ts";
import { catalog } from "../../src/models/catalog.ts";
import type { Actor } from "../../src/rules/access/actor.ts";
import { isUnfinished, startsTurn } from "../../src/rules/chat/turn.ts";
import type { Decision } from "../../src/rules/decision.ts";
import type { SessionEffect } from "../../src/rules/effect.ts";
import type { Idempotency } from "../../src/rules/idempotency.ts";
import { isRefusal, type Refusal } from "../../src/rules/refusal.ts";
import { type SessionVersion, versionOf } from "../../src/rules/session/precondition.ts";
import type { DeliveryFacts } from "../../src/rules/session/send.ts";
import type { SessionState } from "../../src/rules/session/session.ts";
import { releaseUnusedClaim } from "../../src/storage/queries/sandbox-slots.ts";
import { sandboxObject } from "../address.ts";
import { noSession, type SessionContext } from "./context.ts";
import type { WorkCircumstances } from "./rpc.ts";
import { reopenPullRequest } from "./update.ts";

/** The facts of a work; `seen` is the session as it was before something outside was done for it. */
export type Facts = DeliveryFacts & Pick<WorkCircumstances, "isSandboxLimited"> & { seen?: SessionVersion };
type Work<State, Known, Answer> = (
  state: State,
  facts: Known,
  now: number,
) => Decision<SessionState, Answer, SessionEffect>;

/** Who asks for work, and what their request brings. */
export interface WorkRequest {
  by: Actor;
  /** Null where no turn can start. */
  circumstances: WorkCircumstances | null;
  repeat: Idempotency | null;
}

export function workOn<Answer>(
  context: SessionContext,
  request: WorkRequest,
  rule: Work<SessionState, Facts, Answer>,
): Promise<Answer | Refusal> {
  return work(context, request, (state, facts, now) => (state && facts ? rule(state, facts, now) : noSession));
}

export async function work<Answer>(
  context: SessionContext,
  request: WorkRequest,
  rule: Work<SessionState | null, Facts | null, Answer>,
): Promise<Answer | Refusal> {
  if (request.repeat === null) return await workNow(context, request, rule);
  return await context.inTurn(request.repeat.key, () => workNow(context, request, rule));
}

async function workNow<Answer>(
  context: SessionContext,
  { by, circumstances, repeat }: WorkRequest,
  rule: Work<SessionState | null, Facts | null, Answer>,
): Promise<Answer | Refusal> {
  // What the first answer took, its own request has seen to.
  const known = context.firstAnswer(repeat);
  if (known) return isRefusal(known) ? known : (known.answer as Answer);
  const busy = context.checkIdle();
  if (busy) return busy;
  const facts = circumstances && (await factsNow(context, circumstances));
  const before = context.store.find();
  const rehearsed = rule(before, facts, Date.now());
  if (isRefusal(rehearsed)) return rehearsed;
  const seenTo = facts && (await seeTo(context, before, rehearsed.state, facts));
  if (isRefusal(seenTo)) return seenTo;
  const outcome = context.beginOnce(by, repeat, (state, now) => rule(state, seenTo, now));
  if (isRefusal(outcome) && seenTo && startsTurn(before?.chat ?? null, rehearsed.state.chat))
    await giveSlotBack(context, rehearsed.state, seenTo);
  return outcome;
}

async function factsNow(context: SessionContext, circumstances: WorkCircumstances): Promise<Facts> {
  const sandbox = await sandboxNow(context, circumstances, context.store.find());
  return { ...circumstances, catalog, sandbox };
}

/** Sees to what the rehearsed decision takes outside the object, and tells what came of it. */
async function seeTo(
  context: SessionContext,
  before: SessionState | null,
  after: SessionState,
  facts: Facts,
): Promise<Facts | Refusal> {
  const pullRequest = before && (await reopenPullRequest(context, before, after.session.status));
  if (isRefusal(pullRequest)) return pullRequest;
  const isAtSandboxLimit = startsTurn(before?.chat ?? null, after.chat) && !(await hasSlot(context, after, facts));
  // The code host took its time: the decision is held against what was there before.
  const seen = before && pullRequest ? { seen: versionOf(before) } : {};
  return { ...facts, ...seen, pullRequest, isAtSandboxLimit };
}

/** A slot that is claimed for a start may have been claimed in vain, or its sandbox may run by now: its object knows. */
async function sandboxNow(
  { env }: SessionContext,
  { sandbox }: WorkCircumstances,
  state: SessionState | null,
): Promise<WorkCircumstances["sandbox"]> {
  if (sandbox !== "starting" || state === null || isUnfinished(state.chat.turn)) return sandbox;
  const look = await sandboxObject(env, state.session.sandboxKey).probe();
  switch (look.sandbox) {
    case "starting":
    case "running":
      return look.sandbox;
    case "gone":
    case "unknown":
      return null;
  }
}

/** A turn that has to wake its sandbox claims the slot first, so that a full plan is told at once and not by a turn that fails. */
async function hasSlot(
  { env }: SessionContext,
  { session }: SessionState,
  { sandbox, isSandboxLimited }: Facts,
): Promise<boolean> {
  if (sandbox !== null || !isSandboxLimited) return true;
  const { id, workspaceId, sandboxKey } = session;
  return await claimSlotAnew(env, sandboxKey, { type: "session", id, workspaceId });
}

/** Nothing starts in the slot that was claimed, unless another request has started a turn meanwhile. */
async function giveSlotBack({ env, store }: SessionContext, { session }: SessionState, facts: Facts): Promise<void> {
  if (facts.sandbox !== null || !facts.isSandboxLimited || isUnfinished(store.find()?.chat.turn ?? null)) return;
  await releaseUnusedClaim(env.DB, session.sandboxKey, Date.now() + 1);
}
