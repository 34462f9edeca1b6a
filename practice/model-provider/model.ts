// The practice model: computes the next texts, waits and tool call from a conversation. It is
// stateless.
import type { Conversation } from "./conversation.ts";
import type { Failure } from "./failure.ts";
import { sideAnswer } from "./side-request.ts";
import type { Say, Sleep } from "./step.ts";
import { type ToolCall, toolCall } from "./tool-call.ts";
import { dueResponse } from "./turn.ts";

export interface Answer {
  before: (Say | Sleep)[];
  call: ToolCall | null;
  failure: Failure | null;
}

/** The model's response to a request. */
export function answerTo(conversation: Conversation): Answer {
  const side = sideAnswer(conversation);
  if (side !== null) return { before: [{ kind: "say", text: side }], call: null, failure: null };
  const { before, last } = dueResponse(conversation);
  if (last === null) return { before, call: null, failure: null };
  if (last.kind === "fail") return { before, call: null, failure: { kind: last.failure } };
  return { before, call: toolCall(last, conversation.tools), failure: null };
}
