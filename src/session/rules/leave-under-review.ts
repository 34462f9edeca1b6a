// The end of a review: a member's work in a session Under Review makes it Active again. So does a
// message, a steer and a resume of Up next (Part 1, "Session statuses"). Its pull request becomes a
// draft only after a sandbox slot was claimed, and is put back if the work is refused after that:
// `durable-objects/session/start-work.ts` has this order.
import type { Actor } from "../../access/rules/actor.ts";
import type { ChatDecision, ChatState } from "../../chat/rules/chat.ts";
import type { Decision } from "../../rules/decision.ts";
import type { SessionEffect } from "../../rules/effect.ts";
import { isRefusal, type Refusal, refuse } from "../../rules/refusal.ts";
import type { Acquired } from "./acquired.ts";
import { fromChatDecision } from "./chat-decision.ts";
import { findPullRequestMove, findStateAfter } from "./pull-request/ready-or-draft.ts";
import { checkNotItself } from "./send.ts";
import type { SessionState } from "./session.ts";

export interface ReviewFacts {
  /** Null in the plan of the work. */
  acquired: Pick<Acquired, "pullRequest"> | null;
}

/**
 * True for a member, who may act through the Lead or an agent outside of the service, and for a
 * trigger that may resume a session.
 */
export function mayEndReview(by: Actor): boolean {
  if (by.type === "trigger") return by.resumesReview;
  return by.type === "member" || by.type === "lead" || by.type === "client-agent";
}

/**
 * The session for this work: no longer Under Review. Refuses everyone who may not end a
 * review.
 */
export function endReview(
  state: SessionState,
  by: Actor,
  { acquired }: ReviewFacts,
  now: number,
): SessionState | Refusal {
  const { session, chat } = state;
  if (session.status !== "under-review") return state;
  if (!mayEndReview(by)) return refuse("SESSION_UNDER_REVIEW");
  // The review started after the pull request was read, so reviewers would continue with a pull
  // request that is being worked on again.
  if (acquired?.pullRequest === null && findPullRequestMove(session, "active") !== null)
    return refuse("SESSION_UPDATING");
  return {
    session: { ...session, status: "active", prState: findStateAfter(acquired?.pullRequest, session), updatedAt: now },
    // With the pause, a message would keep waiting after a running turn ends.
    chat: chat.pause?.reason === "under_review" ? { ...chat, pause: null } : chat,
  };
}

/** Applies a rule of the chat, such as a steer, to a session whose review it ends. */
export function decideAfterReview<Result>(
  state: SessionState,
  { by, rule }: { by: Actor; rule: (chat: ChatState, now: number) => ChatDecision<Result> },
  facts: ReviewFacts,
  now: number,
): Decision<SessionState, Result, SessionEffect> {
  const open = checkNotItself(state.session, by) ?? endReview(state, by, facts, now);
  return isRefusal(open) ? open : fromChatDecision(open, rule(open.chat, now), now);
}
