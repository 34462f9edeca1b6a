// Starts work in a session, for each call that may start a turn. Its rule is run twice. The first run only shows whether a turn would start. If so,
// what the turn needs outside the object is prepared: a draft pull request and a sandbox slot. The second run decides.
import { catalog } from "../../src/models/catalog.ts";
import type { Actor } from "../../src/rules/access/actor.ts";
import { startsTurn } from "../../src/rules/chat/turn.ts";
import type { Decision } from "../../src/rules/decision.ts";
import type { SessionEffect } from "../../src/rules/effect.ts";
import type { Idempotency } from "../../src/rules/idempotency.ts";
import { isRefusal, type Refusal } from "../../src/rules/refusal.ts";
import { type SessionVersion, versionOf } from "../../src/rules/session/precondition.ts";
import { checkNotItself, type DeliveryFacts } from "../../src/rules/session/send.ts";
import type { SessionState } from "../../src/rules/session/session.ts";
import type { ClaimedSpare } from "../../src/storage/queries/sandbox-spares.ts";
import { noSession, type SessionContext } from "./context.ts";
import { reopenPullRequest } from "./pull-request/follow-status.ts";
import type { WorkFacts } from "./rpc.ts";
import { claimSpareFor, giveBack, inSpare } from "./spare.ts";
import { claimTurnSlot, currentSandbox, releaseTurnSlot } from "./turn-slot.ts";

/** The facts that a rule gets. `seen` is the session's version from before its pull request was changed for this work. */
export type RuleFacts = DeliveryFacts &
  Pick<WorkFacts, "isSandboxLimited" | "hasSpare"> & { seen?: SessionVersion; spare?: ClaimedSpare | null };
type WorkRule<State, Facts, Answer> = (
  state: State,
  facts: Facts,
  now: number,
) => Decision<SessionState, Answer, SessionEffect>;

/** Who asks for the work, and the facts that come with the request. */
export interface WorkRequest {
  by: Actor;
  /** Null if no turn can start. */
  facts: WorkFacts | null;
  repeat: Idempotency | null;
}

/** Starts work in a session that exists. */
export function startWork<Answer>(
  context: SessionContext,
  request: WorkRequest,
  rule: WorkRule<SessionState, RuleFacts, Answer>,
): Promise<Answer | Refusal> {
  return beginWork(context, request, (state, facts, now) => (state && facts ? rule(state, facts, now) : noSession));
}

/** Starts work in a session that may not exist yet. Repeats of a request wait for the first one. */
export async function beginWork<Answer>(
  context: SessionContext,
  request: WorkRequest,
  rule: WorkRule<SessionState | null, RuleFacts | null, Answer>,
): Promise<Answer | Refusal> {
  if (request.repeat === null) return await runWork(context, request, rule);
  return await context.withLock(request.repeat.key, () => runWork(context, request, rule));
}

async function runWork<Answer>(
  context: SessionContext,
  { by, facts: workFacts, repeat }: WorkRequest,
  rule: WorkRule<SessionState | null, RuleFacts | null, Answer>,
): Promise<Answer | Refusal> {
  const known = context.firstAnswer(repeat);
  if (known) return isRefusal(known) ? known : (known.answer as Answer);
  const busy = context.checkIdle();
  if (busy) return busy;
  const present = context.store.find();
  const itself = present && checkNotItself(present.session, by);
  if (itself) return itself;
  const sandbox = workFacts && (await currentSandbox(context, workFacts));
  const before = context.store.find();
  const sessionNanoUsd = before?.session.spendLimitUsd ? context.chat.store.calls.spentNanoUsd() : 0;
  const facts = workFacts && { ...workFacts, catalog, sandbox, sessionNanoUsd };
  const expected = rule(before, facts, Date.now());
  if (isRefusal(expected)) return expected;
  const prepared = facts && (await prepare(context, before, expected.state, facts));
  if (isRefusal(prepared)) return prepared;
  const { spare = null } = prepared ?? {};
  let isSpareTaken = false;
  const answer = context.beginOnce(by, repeat, (state, now) => {
    const decision = rule(state, prepared, now);
    // A preview that was opened meanwhile may have taken another.
    isSpareTaken = spare !== null && !isRefusal(decision) && state?.session.sandboxKey === before?.session.sandboxKey;
    return isSpareTaken && spare && !isRefusal(decision)
      ? { ...decision, state: inSpare(decision.state, spare) }
      : decision;
  });
  if (spare !== null && !isSpareTaken) await giveBack(context, spare, expected.state);
  else if (isRefusal(answer) && prepared && startsTurn(before?.chat ?? null, expected.state.chat))
    await releaseTurnSlot(context, expected.state, prepared);
  return answer;
}

/** Prepares what the expected decision needs outside the object. Answers the facts after that. */
async function prepare(
  context: SessionContext,
  before: SessionState | null,
  after: SessionState,
  facts: RuleFacts,
): Promise<RuleFacts | Refusal> {
  const pullRequest = before && (await reopenPullRequest(context, before, after.session.status));
  if (isRefusal(pullRequest)) return pullRequest;
  const startsHere = startsTurn(before?.chat ?? null, after.chat);
  const spare = startsHere ? await claimSpareFor(context, { before, after, hasSpare: facts.hasSpare }) : null;
  const sandboxLimit = startsHere && spare === null ? await claimTurnSlot(context, after, facts) : null;
  // The call to the code host took time, so the decision is checked against the version from before it.
  const seen = before && pullRequest ? { seen: versionOf(before) } : {};
  return { ...facts, ...seen, pullRequest, sandboxLimit, spare };
}
