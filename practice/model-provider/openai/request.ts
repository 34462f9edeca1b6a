// Parses requests of the OpenAI Responses wire into conversations.
import type { Entry, OfferedTool } from "../conversation.ts";
import type { Failure } from "../failure.ts";
import { isObject, type JsonObject, toContentText, toObjects, toText } from "../json.ts";
import type { ModelRequest } from "../wire.ts";

/** Parses a body of `/v1/responses`. Returns a failure if it is invalid. */
export function readRequest(body: JsonObject): ModelRequest | Failure {
  const wrong = (message: string): Failure => ({ kind: "bad_request", message });
  if (typeof body.model !== "string") return wrong("Missing required parameter: 'model'.");
  if (typeof body.previous_response_id === "string") {
    return wrong(`Previous response with id '${body.previous_response_id}' not found.`);
  }
  const items = typeof body.input === "string" ? [{ role: "user", content: body.input }] : toObjects(body.input);
  if (items.length === 0) return wrong("Missing required parameter: 'input'.");
  const unanswered = unansweredCall(items);
  if (unanswered !== null) return wrong(`No tool output found for function call ${unanswered}.`);
  return {
    model: body.model,
    streams: body.stream === true,
    outputTokensMax: typeof body.max_output_tokens === "number" ? body.max_output_tokens : null,
    reasoning: items
      .filter((item) => item.type === "reasoning")
      .map((item) => ({ id: toText(item.id), encrypted: toText(item.encrypted_content) })),
    wantsReasoning: Array.isArray(body.include) && body.include.includes("reasoning.encrypted_content"),
    conversation: {
      instructions: [
        toContentText(body.instructions),
        ...items.filter(isInstruction).map((item) => toContentText(item.content)),
      ].join("\n"),
      entries: listEntries(items),
      tools: listTools(body, items).map(offeredTool),
    },
  };
}

/** The tools of the request and of its items. A later definition replaces one of the same name. */
function listTools(body: JsonObject, items: JsonObject[]): JsonObject[] {
  const added = items.filter(({ type }) => type === "additional_tools").flatMap(({ tools }) => toObjects(tools));
  return [...new Map([...toObjects(body.tools), ...added].map((tool) => [tool.name, tool])).values()];
}

const isInstruction = (item: JsonObject) => item.role === "system" || item.role === "developer";

/** Groups the consecutive items of one response into one entry. */
function listEntries(items: JsonObject[]): Entry[] {
  const entries: Entry[] = [];
  for (const item of items) {
    const last = entries.at(-1);
    switch (findSpeaker(item)) {
      case "user":
        entries.push({ from: "user", text: toContentText(item.content) });
        break;
      case "tool":
        entries.push({ from: "tool", text: toContentText(item.output) });
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

function findSpeaker(item: JsonObject): Entry["from"] | null {
  const type = toText(item.type);
  if (item.role === "user") return "user";
  if (type.endsWith("_output")) return "tool";
  if (item.role === "assistant" || isCall(item) || type === "reasoning" || type === "item_reference") return "model";
  return null;
}

// An item reference names an item that the provider is expected to have stored.
function isCall(item: JsonObject): boolean {
  return toText(item.type).endsWith("_call") || (item.type === "item_reference" && toText(item.id).startsWith("fc_"));
}

function offeredTool(tool: JsonObject): OfferedTool {
  return { name: toText(tool.name), input: isObject(tool.parameters) ? tool.parameters : {} };
}

/** The real provider refuses a conversation in which a function call has no output. */
function unansweredCall(items: JsonObject[]): string | null {
  const answered = new Set(items.filter((item) => item.type === "function_call_output").map((item) => item.call_id));
  const missing = items.find((item) => item.type === "function_call" && !answered.has(item.call_id));
  return missing === undefined ? null : toText(missing.call_id);
}
