// Parses requests of the OpenAI Responses wire into conversations.
import type { Entry, OfferedTool } from "../conversation.ts";
import type { Failure } from "../failure.ts";
import { contentText, isObject, type JsonObject, objectsOf, textOf } from "../json.ts";
import type { ModelRequest } from "../wire.ts";

/** Parses a body of `/v1/responses`. Returns a failure if it is invalid. */
export function readRequest(body: JsonObject): ModelRequest | Failure {
  const wrong = (message: string): Failure => ({ kind: "bad_request", message });
  if (typeof body.model !== "string") return wrong("Missing required parameter: 'model'.");
  if (typeof body.previous_response_id === "string") {
    return wrong(`Previous response with id '${body.previous_response_id}' not found.`);
  }
  const items = typeof body.input === "string" ? [{ role: "user", content: body.input }] : objectsOf(body.input);
  if (items.length === 0) return wrong("Missing required parameter: 'input'.");
  const unanswered = unansweredCall(items);
  if (unanswered !== null) return wrong(`No tool output found for function call ${unanswered}.`);
  return {
    model: body.model,
    streams: body.stream === true,
    outputTokensMax: typeof body.max_output_tokens === "number" ? body.max_output_tokens : null,
    reasoning: items
      .filter((item) => item.type === "reasoning")
      .map((item) => ({ id: textOf(item.id), encrypted: textOf(item.encrypted_content) })),
    wantsReasoning: Array.isArray(body.include) && body.include.includes("reasoning.encrypted_content"),
    conversation: {
      instructions: [
        contentText(body.instructions),
        ...items.filter(isInstruction).map((item) => contentText(item.content)),
      ].join("\n"),
      entries: entriesOf(items),
      tools: objectsOf(body.tools).map(offeredTool),
    },
  };
}

const isInstruction = (item: JsonObject) => item.role === "system" || item.role === "developer";

/** Groups the consecutive items of one response into one entry. */
function entriesOf(items: JsonObject[]): Entry[] {
  const entries: Entry[] = [];
  for (const item of items) {
    const last = entries.at(-1);
    switch (speakerOf(item)) {
      case "user":
        entries.push({ from: "user", text: contentText(item.content) });
        break;
      case "tool":
        entries.push({ from: "tool", text: contentText(item.output) });
        break;
      case "model":
        if (last?.from === "model") last.callsTool ||= isCall(item);
        else entries.push({ from: "model", callsTool: isCall(item) });
        break;
      case null:
        break;
    }
  }
  return entries;
}

function speakerOf(item: JsonObject): Entry["from"] | null {
  const type = textOf(item.type);
  if (item.role === "user") return "user";
  if (type.endsWith("_output")) return "tool";
  if (item.role === "assistant" || isCall(item) || type === "reasoning" || type === "item_reference") return "model";
  return null;
}

// An item reference names an item that the provider is expected to have stored.
function isCall(item: JsonObject): boolean {
  return textOf(item.type).endsWith("_call") || (item.type === "item_reference" && textOf(item.id).startsWith("fc_"));
}

function offeredTool(tool: JsonObject): OfferedTool {
  return { name: textOf(tool.name), input: isObject(tool.parameters) ? tool.parameters : {} };
}

/** The real provider refuses a conversation in which a function call has no output. */
function unansweredCall(items: JsonObject[]): string | null {
  const answered = new Set(items.filter((item) => item.type === "function_call_output").map((item) => item.call_id));
  const missing = items.find((item) => item.type === "function_call" && !answered.has(item.call_id));
  return missing === undefined ? null : textOf(missing.call_id);
}
