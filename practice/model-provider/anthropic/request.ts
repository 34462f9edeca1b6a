// Parses requests of the Anthropic Messages wire into conversations.
import type { Entry, OfferedTool } from "../conversation.ts";
import type { Failure } from "../failure.ts";
import { isObject, type JsonObject, toContentText, toObjects, toText } from "../json.ts";
import type { ModelRequest } from "../wire.ts";

/** Parses a body of `/v1/messages`. Returns a failure if it is invalid. */
export function readRequest(body: JsonObject): ModelRequest | Failure {
  const wrong = (message: string): Failure => ({ kind: "bad_request", message });
  if (typeof body.model !== "string") return wrong("model: Field required");
  if (!Array.isArray(body.messages)) return wrong("messages: Field required");
  const messages = toObjects(body.messages);
  if (messages.length === 0) return wrong("messages: at least one message is required");
  const unanswered = unansweredToolUse(messages);
  if (unanswered !== null) {
    return wrong(
      `messages: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${unanswered}.`,
    );
  }
  return {
    model: body.model,
    streams: body.stream === true,
    outputTokensMax: typeof body.max_tokens === "number" ? body.max_tokens : null,
    reasoning: [],
    wantsReasoning: false,
    conversation: {
      instructions: toContentText(body.system),
      entries: messages.flatMap(listEntries),
      tools: toObjects(body.tools).map(offeredTool),
    },
  };
}

function listEntries(message: JsonObject): Entry[] {
  const parts = toObjects(message.content);
  if (message.role === "assistant")
    return [{ from: "model", callsTool: parts.some((part) => part.type === "tool_use") }];
  if (message.role !== "user") return [];
  const results = parts.filter((part) => part.type === "tool_result");
  const text = toContentText(message.content);
  return [
    ...results.map((part): Entry => ({ from: "tool", text: toContentText(part.content) })),
    ...(results.length > 0 && text === "" ? [] : [{ from: "user", text } as const]),
  ];
}

function offeredTool(tool: JsonObject): OfferedTool {
  return { name: toText(tool.name), input: isObject(tool.input_schema) ? tool.input_schema : {} };
}

/** Real providers refuse a conversation in which a tool call has no result in the next message. */
function unansweredToolUse(messages: JsonObject[]): string | null {
  for (const [at, message] of messages.entries()) {
    const results = toObjects(messages[at + 1]?.content).map((part) => part.tool_use_id);
    const missing = toObjects(message.content).find((part) => part.type === "tool_use" && !results.includes(part.id));
    if (missing !== undefined) return toText(missing.id);
  }
  return null;
}
