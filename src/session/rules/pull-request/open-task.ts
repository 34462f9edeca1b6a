// The task of a `svc:open-pr` turn (Part 1, "Skill messages"). The flags of its message start it;
// the end of the turn is checked against it.
import type { SaidMessage } from "../../../chat/rules/message.ts";
import { isUnfinished } from "../../../chat/rules/turn.ts";
import { type Decision, decided } from "../../../rules/decision.ts";
import type { SessionEffect } from "../../../rules/effect.ts";
import { findCalledBuiltInSkill, parseSkillCall } from "../../../skill/rules/skill-call.ts";
import type { Session, SessionState } from "../session.ts";
import { isDraftAsked, readOpenPrFlags } from "./open-flags.ts";
import { isOpenPullRequest } from "./pull-request.ts";
import type { OpenPrTask } from "./state.ts";

/** The number of the session's pull request while it is open. */
export function findOpenNumber({ prNumber, prState }: Session): number | null {
  return isOpenPullRequest(prState) ? prNumber : null;
}

/**
 * Records at the start of a turn that its message calls `svc:open-pr`, so that a turn that opens
 * nothing fails.
 */
export function recordOpenPrCall(
  state: SessionState,
  { turnId, message }: { turnId: string; message: SaidMessage },
): Decision<SessionState, null, SessionEffect> {
  const { session, chat } = state;
  const { turn } = chat;
  const isCall =
    isUnfinished(turn) && turn.id === turnId && findCalledBuiltInSkill(message, turn.model)?.name === "svc:open-pr";
  if (!isCall || session.openPr?.turnId === turnId) return decided(state, null);
  const openPr = getOpenPrTask(session, turnId, parseSkillCall(message.content, turn.model)?.argument ?? "");
  return decided({ ...state, session: { ...session, openPr } }, null);
}

/** The task of a turn: the stored one, or a new one from the flags of its message. */
export function getOpenPrTask(session: Session, turnId: string, argument: string): OpenPrTask {
  const { openPr } = session;
  if (openPr?.turnId === turnId) return openPr;
  const flags = readOpenPrFlags(argument);
  const isOpen = findOpenNumber(session) !== null;
  return {
    turnId,
    isDraft: isDraftAsked(flags, isOpen),
    evidence: [...new Set([...(isOpen ? (openPr?.evidence ?? []) : []), ...flags.evidence])],
    stage: "opening",
    reason: null,
    pending: null,
  };
}

/**
 * The end of a `svc:open-pr` turn: whether the session goes Under Review, and whether the turn has
 * failed.
 */
export interface OpenPrEnd {
  session: Session;
  /** True if a pull request was opened ready for review, so that the session goes Under Review. */
  isReady: boolean;
  /** Why the turn did not open its pull request; null if it did, or had none to open. */
  failure: string | null;
}

const notOpened = "The agent ended its turn without the pull request. Its last message says why.";

/**
 * Ends the pull request task of a turn that ended by itself (Part 1, "Session statuses" and "Skill
 * messages").
 */
export function endOpenPr(session: Session, turnId: string, hasAsked: boolean): OpenPrEnd {
  const { openPr } = session;
  const none = { session, isReady: false, failure: null };
  if (openPr === null) return none;
  if (openPr.turnId !== turnId) {
    // This turn started with the answer to the question, whatever the answer was.
    return openPr.stage === "asking"
      ? { ...none, session: { ...session, openPr: { ...openPr, stage: "opened", pending: null } } }
      : none;
  }
  if (hasAsked) return none;
  if (openPr.stage === "refused") return { ...none, failure: openPr.reason };
  if (openPr.stage === "opening") return { ...none, failure: notOpened };
  const isReady =
    openPr.stage === "opened" && !openPr.isDraft && session.prState === "open" && session.status === "active";
  return { ...none, isReady };
}
