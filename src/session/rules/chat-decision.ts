// Turns a decision of the chat into a decision of its session.
import type { ChatDecision, ChatState } from "../../chat/rules/chat.ts";
import { hasStartedTurn } from "../../chat/rules/turn.ts";
import { type Decision, decided } from "../../rules/decision.ts";
import type { ChatEffect, SessionEffect } from "../../rules/effect.ts";
import { isRefusal } from "../../rules/refusal.ts";
import type { SessionState } from "./session.ts";

/**
 * Applies a decision of the chat to its session. A turn that starts or ends also changes the
 * session.
 */
export function fromChatDecision<Result>(
  state: SessionState,
  decision: ChatDecision<Result>,
  now: number,
): Decision<SessionState, Result, SessionEffect> {
  if (isRefusal(decision)) return decision;
  const effects = decision.effects.map((effect) => ofSession(state.session.id, effect));
  return decided(withChat(state, decision.state, now), decision.result, effects);
}

function withChat(state: SessionState, chat: ChatState, now: number): SessionState {
  if (chat === state.chat) return state;
  const isTouched = hasStartedTurn(state.chat, chat) || chat.endedTurn !== state.chat.endedTurn;
  return { session: isTouched ? { ...state.session, updatedAt: now } : state.session, chat };
}

function ofSession(sessionId: string, effect: ChatEffect): SessionEffect {
  switch (effect.type) {
    case "index-chat":
      return { type: "index-session" };
    case "drop-attachments":
      return { ...effect, sessionId };
    default:
      return effect;
  }
}
