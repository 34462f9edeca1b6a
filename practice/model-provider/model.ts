// The practice model: computes the next texts, waits and tool call from a conversation. It is
// stateless.
import type { Conversation } from "./conversation.ts";
import type { Failure } from "./failure.ts";
import { findSideAnswer } from "./side-request.ts";
import type { Say, Sleep } from "./step.ts";
import { type ToolCall, toToolCall } from "./tool-call.ts";
import { getDueResponse } from "./turn.ts";

export interface Answer {
  before: (Say | Sleep)[];
  call: ToolCall | null;
  failure: Failure | null;
}

/** The model's response to a request. */
export function getAnswer(conversation: Conversation): Answer {
  const side = findSideAnswer(conversation);
  if (side !== null) return { before: [{ kind: "say", text: side }], call: null, failure: null };
  const { before, last } = getDueResponse(conversation);
  if (last === null) return { before, call: null, failure: null };
  if (last.kind === "fail") return { before, call: null, failure: { kind: last.failure } };
  return { before, call: toToolCall(last, conversation.tools), failure: null };
}
