// Resumes a session's Up next, if the session can run the turn that this starts.
import type { Actor } from "../../access/rules/actor.ts";
import { resumeUpNext as resumeChat } from "../../chat/rules/queue.ts";
import { startsTurn } from "../../chat/rules/turn.ts";
import type { Decision } from "../../rules/decision.ts";
import type { SessionEffect } from "../../rules/effect.ts";
import { isRefusal, refuse } from "../../rules/refusal.ts";
import { allowanceUsedUp } from "../../workspace/rules/billing-plan.ts";
import { ofChat } from "./chat-decision.ts";
import { endReview, type ReviewFacts } from "./review.ts";
import { checkNoCommand } from "./runtime-command.ts";
import { checkSandbox, type SandboxFacts } from "./send-sandbox-need.ts";
import type { SessionState } from "./session.ts";
import { checkSpendOf, type SpendFacts } from "./spend-limit.ts";
import { isOpen } from "./status.ts";

/** Resumes a paused Up next, and sends its top message if no turn runs. A member's resume ends a review. */
export function resumeUpNext(
  state: SessionState,
  command: { turnId: string; modelIfNone?: string | null; by: Actor },
  facts: SandboxFacts & SpendFacts & ReviewFacts,
  now: number,
): Decision<SessionState, null, SessionEffect> {
  const { status } = state.session;
  if (!isOpen(status)) {
    return refuse("BAD_REQUEST", `Up next can be resumed only while the session is active, and this one is ${status}.`);
  }
  const open = endReview(state, command.by, facts, now);
  if (isRefusal(open)) return open;
  const busy = checkNoCommand(open.session);
  if (busy) return busy;
  const resumed = resumeChat(open.chat, command, now);
  const isStart = startsTurn(open.chat, resumed.state);
  if (isStart && facts.isBlockedOnBilling) return allowanceUsedUp;
  // The turn waits for a starting sandbox instead of being refused, because its message was accepted earlier.
  const need = isStart && facts.sandbox !== "starting" ? checkSandbox(facts) : null;
  const overspent = isStart ? checkSpendOf(open.session, resumed.state.turn?.model ?? null, facts) : null;
  return overspent ?? need ?? ofChat(open, resumed, now);
}
