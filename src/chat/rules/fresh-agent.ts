// When the agent of a turn starts fresh, with the conversation so far as text: after a change to
// another provider, and to retry a turn whose conversation grew too long (Part 1, "Send body").
import { findProvider } from "../../model/rules/model.ts";
import type { ChatState } from "./chat.ts";
import type { Turn } from "./turn.ts";

/**
 * True if the model is of another provider than the conversation, whose agent cannot continue it
 * (Part 1, "Send body", `model`).
 */
export function isOtherProvider(
  { conversationId, turn }: Pick<ChatState, "conversationId" | "turn">,
  model: string | null,
): boolean {
  if (turn === null || turn.conversationId !== conversationId) return false;
  return turn.model !== null && model !== null && findProvider(turn.model) !== findProvider(model);
}

/**
 * True to retry a turn with a fresh agent: it is the newest one, and its conversation grew too long
 * (Part 1, "Send body", `retryFailedJobId`).
 */
export function isFreshRetry(newest: Turn | null, retriedTurnId: string | null): boolean {
  return newest !== null && newest.id === retriedTurnId && newest.errorCode === "context_window_exceeded";
}
