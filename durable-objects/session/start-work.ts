// Starts work in a session, for each call that may start a turn. Its rule is run twice. The first
// run only shows what the work needs outside the object: a sandbox slot, which is claimed first,
// then a draft pull request. The second run decides. If it refuses, both are undone.
import type { Actor } from "../../src/access/rules/actor.ts";
import { isUnfinished, startsTurn } from "../../src/chat/rules/turn.ts";
import { catalog } from "../../src/model/catalog.ts";
import type { Decision } from "../../src/rules/decision.ts";
import type { SessionEffect } from "../../src/rules/effect.ts";
import type { Idempotency } from "../../src/rules/idempotency.ts";
import { isRefusal, type Refusal } from "../../src/rules/refusal.ts";
import { claimSlotAnew } from "../../src/sandbox/claim-slot.ts";
import { releaseUnusedClaim } from "../../src/sandbox/queries/slots.ts";
import type { ClaimedSpare } from "../../src/sandbox/queries/spares.ts";
import { type PullRequestMove, pullRequestMove } from "../../src/session/rules/pull-request/pull-request.ts";
import { checkNotItself, type DeliveryFacts, type SandboxFacts } from "../../src/session/rules/send.ts";
import type { SessionState } from "../../src/session/rules/session.ts";
import { type SessionVersion, versionOf } from "../../src/session/rules/version.ts";
import type { SandboxLimit } from "../../src/workspace/rules/billing-plan.ts";
import { sandboxObject } from "../address.ts";
import { noSession, type SessionContext } from "./context.ts";
import { withPullRequest } from "./pull-request/status.ts";
import type { WorkFacts } from "./rpc.ts";
import { claimSpareFor, giveBack, inSpare } from "./spare.ts";

/**
 * The facts that a rule receives. `seen` is the session's version before its pull request was
 * changed for this work.
 */
export type RuleFacts = DeliveryFacts & Pick<WorkFacts, "isSandboxLimited" | "hasSpare"> & { seen?: SessionVersion };
type WorkRule<State, Facts, Answer> = (
  state: State,
  facts: Facts,
  now: number,
) => Decision<SessionState, Answer, SessionEffect>;

/** Who requests the work, and the facts that come with the request. */
export interface WorkRequest {
  by: Actor;
  /** Null if no turn can start. */
  facts: WorkFacts | null;
  repeat: Idempotency | null;
}

/** Starts work in an existing session. */
export function startWork<Answer>(
  context: SessionContext,
  request: WorkRequest,
  rule: WorkRule<SessionState, RuleFacts, Answer>,
): Promise<Answer | Refusal> {
  return beginWork(context, request, (state, facts, now) => (state && facts ? rule(state, facts, now) : noSession));
}

/** Starts work in a session that may not exist yet. */
export function beginWork<Answer>(
  context: SessionContext,
  request: WorkRequest,
  rule: WorkRule<SessionState | null, RuleFacts | null, Answer>,
): Promise<Answer | Refusal> {
  return oncePerKey(context, request, () => runWork(context, request, rule));
}

/**
 * Runs work of an actor, unless it was already done. Repeats of a request wait for the first one.
 */
export async function oncePerKey<Answer>(
  context: SessionContext,
  { by, repeat }: Pick<WorkRequest, "by" | "repeat">,
  work: () => Promise<Answer | Refusal>,
): Promise<Answer | Refusal> {
  async function run(): Promise<Answer | Refusal> {
    const known = context.firstAnswer(repeat);
    if (known) return isRefusal(known) ? known : (known.answer as Answer);
    const present = context.store.find();
    return context.checkIdle() ?? (present && checkNotItself(present.session, by)) ?? (await work());
  }
  return repeat === null ? await run() : await context.withLock(repeat.key, run);
}

async function runWork<Answer>(
  context: SessionContext,
  { by, facts: workFacts, repeat }: WorkRequest,
  rule: WorkRule<SessionState | null, RuleFacts | null, Answer>,
): Promise<Answer | Refusal> {
  const sandbox = workFacts && (await currentSandbox(context, workFacts));
  const before = context.store.find();
  const sessionNanoUsd = before?.session.spendLimitUsd ? context.chat.store.calls.spentNanoUsd() : 0;
  const facts = workFacts && { ...workFacts, catalog, sandbox, sessionNanoUsd };
  const expected = rule(before, facts, Date.now());
  if (isRefusal(expected)) return expected;
  if (facts === null) return context.beginOnce(by, repeat, (state, now) => rule(state, null, now));
  const { state: after } = expected;

  function decide({ spare, ...claimed }: Claimed, pullRequest: PullRequestMove | null): Used<Answer> | Refusal {
    // The call to the code host took time, so the decision is checked against the version before
    // the call.
    const seen = before && pullRequest ? { seen: versionOf(before) } : {};
    // A preview that was opened meanwhile may have taken another spare.
    let isFitting = false;
    const answer = context.beginOnce(by, repeat, (state, now) => {
      const decision = rule(state, { ...facts, ...claimed, ...seen, pullRequest } as RuleFacts, now);
      isFitting = spare === null || state?.session.sandboxKey === before?.session.sandboxKey;
      return isRefusal(decision) || spare === null || !isFitting
        ? decision
        : { ...decision, state: inSpare(decision.state, spare) };
    });
    return isRefusal(answer) ? answer : { answer, isFitting };
  }

  if (before === null || pullRequestMove(before.session, after.session.status) === null) {
    return await withClaim(
      context,
      { before, after, facts },
      async (claimed) => context.checkIdle() ?? decide(claimed, null),
    );
  }
  return await context.exclusively(() =>
    withClaim(context, { before, after, facts }, async (claimed) => {
      // Without a slot the work is refused, and the pull request stays as it is.
      const refused = rule(context.store.find(), { ...facts, ...claimed }, Date.now());
      if (isRefusal(refused)) return refused;
      return await withPullRequest(context, before, after.session.status, (move) => decide(claimed, move));
    }),
  );
}

/** What work has claimed before its decision. */
interface Claimed {
  spare: ClaimedSpare | null;
  sandboxLimit: SandboxLimit | null;
}

/** A result, and whether what was claimed fits the state in which it was decided. */
interface Used<Answer> {
  answer: Answer;
  isFitting: boolean;
}

/**
 * Claims a sandbox slot for work that is to start a turn. The claim is released unless the work is
 * accepted.
 */
async function withClaim<Answer>(
  context: SessionContext,
  { before, after, facts }: { before: SessionState | null; after: SessionState; facts: WorkFacts },
  work: (claimed: Claimed) => Promise<Used<Answer> | Refusal>,
): Promise<Answer | Refusal> {
  const startsHere = startsTurn(before?.chat ?? null, after.chat);
  const spare = startsHere ? await claimSpareFor(context, { before, after, hasSpare: facts.hasSpare }) : null;
  const sandboxLimit = startsHere && spare === null ? await claimTurnSlot(context, after, facts) : null;
  let isUsed = false;
  try {
    const used = await work({ spare, sandboxLimit });
    if (isRefusal(used)) return used;
    isUsed = used.isFitting;
    return used.answer;
  } finally {
    if (!isUsed && spare !== null) await giveBack(context, spare, after);
    else if (!isUsed && startsHere) await releaseTurnSlot(context, after, facts);
  }
}

// The sandbox slot of a turn that is about to start. It is claimed before the decision, so that a
// full plan refuses the request immediately instead of failing the turn later.

type SlotFacts = Pick<WorkFacts, "sandbox" | "isSandboxLimited">;

/**
 * The current state of the sandbox. The slot of a starting sandbox may be out of date, so its
 * object is asked.
 */
export async function currentSandbox(
  { env, store }: SessionContext,
  { sandbox }: SlotFacts,
): Promise<SandboxFacts["sandbox"]> {
  const state = store.find();
  if (sandbox !== "starting" || state === null || isUnfinished(state.chat.turn)) return sandbox;
  const probed = await sandboxObject(env, state.session.sandboxKey).probe();
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
 * Claims the slot if the turn must wake its sandbox. Returns the limit that allows no further
 * sandbox; null for none.
 */
export async function claimTurnSlot(
  { env }: SessionContext,
  { session }: SessionState,
  { sandbox, isSandboxLimited }: SlotFacts,
): Promise<SandboxLimit | null> {
  if (sandbox !== null || !isSandboxLimited) return null;
  const { id, workspaceId, sandboxKey } = session;
  return await claimSlotAnew(env, sandboxKey, { type: "session", id, workspaceId });
}

/**
 * Releases the slot of a turn that was refused after all, unless another request has started a turn
 * meanwhile.
 */
export async function releaseTurnSlot(
  { env, store }: SessionContext,
  { session }: SessionState,
  { sandbox, isSandboxLimited }: SlotFacts,
): Promise<void> {
  if (sandbox !== null || !isSandboxLimited || isUnfinished(store.find()?.chat.turn ?? null)) return;
  await releaseUnusedClaim(env.DB, session.sandboxKey, Date.now() + 1);
}
