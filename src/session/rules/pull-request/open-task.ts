// The task of a `svc:open-pr` turn (Part 1, "Skill messages"). The flags of its message begin it; the end of the turn is checked against it.

import type { SaidMessage } from "../../../chat/rules/message.ts";
import { isUnfinished } from "../../../chat/rules/turn.ts";
import { type Decision, decided } from "../../../rules/decision.ts";
import type { SessionEffect } from "../../../rules/effect.ts";
import { factorySkillCalled, skillCall } from "../../../skill/rules/skill-call.ts";
import type { Session, SessionState } from "../session.ts";
import { readOpenPrFlags } from "./open-flags.ts";
import { isOpenPullRequest } from "./pull-request.ts";
import type { OpenPrTask } from "./state.ts";

/** The number of the session's pull request while it is open. */
export function openNumber({ prNumber, prState }: Session): number | null {
  return isOpenPullRequest(prState) ? prNumber : null;
}

/** Notes at the start of a turn that its message calls `svc:open-pr`, so that a turn that opens nothing fails. */
export function noteOpenPrCall(
  state: SessionState,
  { turnId, message }: { turnId: string; message: SaidMessage },
): Decision<SessionState, null, SessionEffect> {
  const { session, chat } = state;
  const { turn } = chat;
  const isCall =
    isUnfinished(turn) && turn.id === turnId && factorySkillCalled(message, turn.model)?.name === "svc:open-pr";
  if (!isCall || session.openPr?.turnId === turnId) return decided(state, null);
  const openPr = taskOf(session, turnId, skillCall(message.content, turn.model)?.argument ?? "");
  return decided({ ...state, session: { ...session, openPr } }, null);
}

/** The task of a turn: the stored one, or a new one from the flags of its message. */
export function taskOf(session: Session, turnId: string, argument: string): OpenPrTask {
  const { openPr } = session;
  if (openPr?.turnId === turnId) return openPr;
  const flags = readOpenPrFlags(argument);
  const isOpen = openNumber(session) !== null;
  return {
    turnId,
    isDraft: flags.isDraft && !isOpen,
    evidence: [...new Set([...(isOpen ? (openPr?.evidence ?? []) : []), ...flags.evidence])],
    stage: "opening",
    reason: null,
    pending: null,
  };
}
