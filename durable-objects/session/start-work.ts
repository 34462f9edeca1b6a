// Starts work in a session, for each call that may start a turn, in four steps. The plan runs the
// rule of the call. What the plan needs outside the object is acquired: a spare or a sandbox slot,
// then a pull request that is a draft again. The commit runs the rule again, in the transaction.
// What a commit did not use is released.
import type { Actor } from "../../src/access/rules/actor.ts";
import { hasStartedTurn, isUnfinished } from "../../src/chat/rules/turn.ts";
import { catalog } from "../../src/model/catalog.ts";
import type { Decision } from "../../src/rules/decision.ts";
import type { SessionEffect } from "../../src/rules/effect.ts";
import type { Idempotency } from "../../src/rules/idempotency.ts";
import { isRefusal, type Refusal } from "../../src/rules/refusal.ts";
import { claimSlotAgain } from "../../src/sandbox/claim-slot.ts";
import { releaseUnusedClaim } from "../../src/sandbox/queries/slots.ts";
import type { ClaimedSpare } from "../../src/sandbox/queries/spares.ts";
import type { Acquired as AcquiredFacts } from "../../src/session/rules/acquired.ts";
import { findPullRequestMove, type PullRequestMove } from "../../src/session/rules/pull-request/ready-or-draft.ts";
import type { DeliveryFacts } from "../../src/session/rules/send.ts";
import type { SessionState } from "../../src/session/rules/session.ts";
import { getVersion, type SessionVersion } from "../../src/session/rules/version.ts";
import { getSandboxObject } from "../address.ts";
import { noSession, type SessionContext } from "./context.ts";
import { restorePullRequest, updatePullRequestState } from "./pull-request/status.ts";
import type { WorkFacts } from "./rpc.ts";
import { claimSpareFor, releaseClaimedSpare, withSpare } from "./spare.ts";

interface Acquired extends AcquiredFacts {
  /** The session's version before its pull request was moved; null if it was not. */
  seen: SessionVersion | null;
  spare: ClaimedSpare | null;
}

type PlanFacts = WorkFacts & Pick<DeliveryFacts, "catalog" | "sessionNanoUsd"> & { acquired: null };
type CommitFacts = Omit<PlanFacts, "acquired"> & { acquired: Acquired };
type RuleFacts = PlanFacts | CommitFacts;

type WorkRule<State, Facts, Result> = (
  state: State,
  facts: Facts,
  now: number,
) => Decision<SessionState, Result, SessionEffect>;
/** A rule for a session that may not exist yet, with facts if it may start a turn. */
type BeginRule<Result> = WorkRule<SessionState | null, RuleFacts | null, Result>;

/** Who requests the work, and the facts that come with the request. */
export interface WorkRequest {
  by: Actor;
  /** Null if no turn can start. */
  facts: WorkFacts | null;
  repeat: Idempotency | null;
}

/** Starts work in an existing session. */
export function startWork<Result>(
  context: SessionContext,
  request: WorkRequest,
  rule: WorkRule<SessionState, RuleFacts, Result>,
): Promise<Result | Refusal> {
  return startSessionWork(context, request, (state, facts, now) =>
    state && facts ? rule(state, facts, now) : noSession,
  );
}

/** Starts work in a session that may not exist yet. */
export function startSessionWork<Result>(
  context: SessionContext,
  request: WorkRequest,
  rule: BeginRule<Result>,
): Promise<Result | Refusal> {
  const { by, facts, repeat } = request;
  return context.once.run(repeat, async () => {
    const busy = context.checkIdle();
    if (busy) return busy;
    if (facts === null) return context.startOnce(by, repeat, (state, now) => rule(state, null, now));
    const plan = await planWork(context, facts, rule);
    if (isRefusal(plan)) return plan;
    const work = () => runPlan(context, request, rule, plan);
    return plan.move === null ? await work() : await context.exclusively(work);
  });
}

async function runPlan<Result>(
  context: SessionContext,
  request: WorkRequest,
  rule: BeginRule<Result>,
  plan: Plan,
): Promise<Result | Refusal> {
  const acquired: Acquired = { pullRequest: null, slot: "not-needed", seen: null, spare: null };
  let isUsed = false;
  try {
    const refused = await acquire(context, rule, plan, acquired);
    if (refused) return refused;
    const outcome = commit(context, request, rule, plan, acquired);
    ({ isUsed } = outcome);
    return outcome.result;
  } finally {
    if (!isUsed) await release(context, plan, acquired);
  }
}

interface Plan {
  facts: PlanFacts;
  before: SessionState | null;
  /** The session as it would be after the work. */
  after: SessionState;
  /** True if the work would start a turn. */
  startsTurn: boolean;
  /** How the work would move the session's pull request; null for no change. */
  move: PullRequestMove | null;
}

/** Runs the rule as if everything that the work needs were there. */
async function planWork<Result>(
  context: SessionContext,
  workFacts: WorkFacts,
  rule: BeginRule<Result>,
): Promise<Plan | Refusal> {
  const sandbox = await findCurrentSandbox(context, workFacts);
  const before = context.store.find();
  const sessionNanoUsd = before?.session.spendLimitUsd ? context.chat.store.calls.spentNanoUsd() : 0;
  const facts: PlanFacts = { ...workFacts, catalog, sandbox, sessionNanoUsd, acquired: null };
  const expected = rule(before, facts, Date.now());
  if (isRefusal(expected)) return expected;
  const { state: after } = expected;
  return {
    facts,
    before,
    after,
    startsTurn: hasStartedTurn(before?.chat ?? null, after.chat),
    move: before && findPullRequestMove(before.session, after.session.status),
  };
}

/**
 * Acquires what the plan needs, and adds it to `acquired`. The pull request is moved last, because
 * others see that.
 */
async function acquire<Result>(
  context: SessionContext,
  rule: BeginRule<Result>,
  plan: Plan,
  acquired: Acquired,
): Promise<Refusal | null> {
  const { before, after, facts, move } = plan;
  if (plan.startsTurn) {
    acquired.spare = await claimSpareFor(context, { before, after, hasSpare: facts.hasSpare });
    if (acquired.spare === null) acquired.slot = await claimTurnSlot(context, after, facts);
  }
  if (before === null || move === null) return context.checkIdle();
  // The call to the code host takes time, so the commit is checked against the version before it.
  acquired.seen = getVersion(before);
  // Without a slot the work is refused, and the pull request stays as it is.
  const expected = { ...facts, acquired: { ...acquired, pullRequest: move } };
  const decision = rule(context.store.find(), expected, Date.now());
  if (isRefusal(decision)) return decision;
  const unmoved = await updatePullRequestState(context, before.session, move);
  if (unmoved === null) acquired.pullRequest = move;
  return unmoved;
}

/** Runs the rule with what was acquired, in the transaction that stores its result. */
function commit<Result>(
  context: SessionContext,
  { by, repeat }: WorkRequest,
  rule: BeginRule<Result>,
  { facts, before }: Plan,
  acquired: Acquired,
): { result: Result | Refusal; isUsed: boolean } {
  const { spare } = acquired;
  // A preview that was opened meanwhile may have taken another spare.
  let isFitting = false;
  const result = context.startOnce(by, repeat, (state, now) => {
    const decision = rule(state, { ...facts, acquired }, now);
    isFitting = spare === null || state?.session.sandboxKey === before?.session.sandboxKey;
    return isRefusal(decision) || spare === null || !isFitting
      ? decision
      : { ...decision, state: withSpare(decision.state, spare) };
  });
  return { result, isUsed: isFitting && !isRefusal(result) };
}

/** Undoes what was acquired, unless other work uses it now. */
async function release(
  context: SessionContext,
  { before, after }: Plan,
  { pullRequest, spare, slot }: Acquired,
): Promise<void> {
  if (before && pullRequest) await restorePullRequest(context, before.session, pullRequest);
  if (spare !== null) await releaseClaimedSpare(context, spare, after);
  if (slot !== "claimed" || isUnfinished(context.store.find()?.chat.turn ?? null)) return;
  await releaseUnusedClaim(context.env.DB, after.session.sandboxKey, Date.now() + 1);
}

/**
 * The current state of the sandbox. The slot of a starting sandbox may be out of date, so its
 * object is asked.
 */
async function findCurrentSandbox(
  { env, store }: SessionContext,
  { sandbox }: Pick<WorkFacts, "sandbox">,
): Promise<WorkFacts["sandbox"]> {
  const state = store.find();
  if (sandbox !== "starting" || state === null || isUnfinished(state.chat.turn)) return sandbox;
  const probed = await getSandboxObject(env, state.session.sandboxKey).probe();
  switch (probed.sandbox) {
    case "starting":
    case "running":
      return probed.sandbox;
    case "gone":
    case "unknown":
      return null;
  }
}

/**
 * Claims a sandbox slot if the turn must wake its sandbox. It is claimed before the commit, so that
 * a full plan refuses the request immediately instead of failing the turn later.
 */
async function claimTurnSlot(
  { env }: SessionContext,
  { session }: SessionState,
  { sandbox, isSandboxLimited }: Pick<WorkFacts, "sandbox" | "isSandboxLimited">,
): Promise<Acquired["slot"]> {
  if (sandbox !== null || !isSandboxLimited) return "not-needed";
  const { id, workspaceId, sandboxKey } = session;
  const full = await claimSlotAgain(env, sandboxKey, { type: "session", id, workspaceId });
  return full === null ? "claimed" : { full };
}
