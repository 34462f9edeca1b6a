// The result that the agent of a turn submits, for a message that asks for one with a schema.
import { decided } from "../../rules/decision.ts";
import { formatSentence, refuse } from "../../rules/refusal.ts";
import type { ToolAnswer } from "./agent-profile.ts";
import type { ChatDecision, ChatState } from "./chat.ts";
import { checkResult } from "./result-check.ts";
import { findTurnToEnd } from "./turn-end.ts";

/**
 * Records a result, as JSON, if it matches the schema of its turn; the newest counts. Otherwise
 * refuses it with the fields that are wrong, for the agent.
 */
export function recordResult(
  chat: ChatState,
  { turnId, result }: { turnId: string; result: string },
): ChatDecision<ToolAnswer> {
  const turn = findTurnToEnd(chat, turnId);
  if (turn === null || turn.stopRequestedAt !== null) return refuse("FORBIDDEN", "This turn is over.");
  if (turn.resultSchema === null) return refuse("FORBIDDEN", "The message of this turn asks for no result.");
  const { mistakes } = checkResult(JSON.parse(turn.resultSchema), JSON.parse(result));
  if (mistakes.length > 0) {
    const sentences = mistakes.map(({ path, message }) => formatSentence(path || "The result", message));
    return refuse("BAD_REQUEST", `The result was not taken. ${sentences.join(" ")} Submit all of it again.`);
  }
  const answer = { text: "The result was taken.", questions: null, endsTurn: true };
  return decided({ ...chat, turn: { ...turn, result } }, answer);
}
