// A response on the OpenAI Responses wire, streamed and not streamed.
import type { Failure } from "../failure.ts";
import type { JsonObject } from "../json.ts";
import {
  countTokens,
  formatServerSentEvent,
  type Message,
  type ModelRequest,
  type Receipt,
  toPieces,
} from "../wire.ts";
import { toResponseError } from "./failure.ts";

/** Starts a response to a request. */
export function startMessage(request: ModelRequest, receipt: Receipt): Message {
  const output: JsonObject[] = [];
  let sequence = 0;

  const event = (type: string, fields: JsonObject) =>
    formatServerSentEvent(type, { type, sequence_number: sequence++, ...fields });
  const response = (status: string, fields: JsonObject = {}) => ({
    id: `resp_${receipt.digest}`,
    object: "response",
    created_at: Math.floor(Date.now() / 1000),
    status,
    error: null,
    incomplete_details: null,
    instructions: null,
    model: request.model,
    output: status === "in_progress" ? [] : output,
    parallel_tool_calls: true,
    store: false,
    tools: [],
    usage: null,
    ...fields,
  });
  const completed = () => response("completed", { usage: usage(receipt.inputTokens, output) });
  const added = (item: JsonObject) => {
    const place = { output_index: output.length };
    const events = event("response.output_item.added", { ...place, item });
    return { place, events };
  };
  const done = (place: JsonObject, item: JsonObject) => {
    output.push(item);
    return event("response.output_item.done", { ...place, item });
  };

  /** The reasoning, which precedes everything else. */
  const reason = () => {
    if (!request.wantsReasoning) return "";
    const item = { id: `rs_${receipt.digest}`, type: "reasoning", summary: [] };
    const { place, events } = added(item);
    return events + done(place, { ...item, encrypted_content: encryptedReasoning(receipt) });
  };

  return {
    open: () =>
      event("response.created", { response: response("in_progress") }) +
      event("response.in_progress", { response: response("in_progress") }),
    reason,
    say(text, pieces) {
      const item = { id: `msg_${receipt.digest}${output.length}`, type: "message", role: "assistant" };
      const { place, events } = added({ ...item, status: "in_progress", content: [] });
      const at = { item_id: item.id, ...place, content_index: 0 };
      const part = { type: "output_text", text, annotations: [], logprobs: [] };
      return [
        events,
        event("response.content_part.added", { ...at, part: { ...part, text: "" } }),
        ...toPieces(text, pieces).map((delta) => event("response.output_text.delta", { ...at, delta, logprobs: [] })),
        event("response.output_text.done", { ...at, text, logprobs: [] }),
        event("response.content_part.done", { ...at, part }),
        done(place, { ...item, status: "completed", content: [part] }),
      ].join("");
    },
    call({ name, input }) {
      const id = `${receipt.digest}${output.length}`;
      const item = { id: `fc_${id}`, type: "function_call", call_id: `call_${id}`, name };
      const json = JSON.stringify(input);
      const { place, events } = added({ ...item, status: "in_progress", arguments: "" });
      const at = { item_id: item.id, ...place };
      return [
        events,
        ...toPieces(json).map((delta) => event("response.function_call_arguments.delta", { ...at, delta })),
        event("response.function_call_arguments.done", { ...at, arguments: json, name }),
        done(place, { ...item, status: "completed", arguments: json }),
      ].join("");
    },
    close: () => event("response.completed", { response: completed() }),
    fail: (failure: Failure) =>
      event("response.failed", { response: response("failed", { error: toResponseError(failure) }) }),
    whole: completed,
  };
}

const encryptedReasoning = ({ account, digest }: Receipt) => `practice-reasoning-${account}-${digest}`;

/** The first reasoning that was encrypted for another account; null if there is none. */
export function findForeignReasoning({ reasoning }: ModelRequest, account: string): { id: string } | null {
  return reasoning.find(({ encrypted }) => !encrypted.startsWith(`practice-reasoning-${account}-`)) ?? null;
}

function usage(inputTokens: number, output: JsonObject[]): JsonObject {
  const outputTokens = countTokens(JSON.stringify(output).length);
  return {
    input_tokens: inputTokens,
    input_tokens_details: { cached_tokens: 0 },
    output_tokens: outputTokens,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: inputTokens + outputTokens,
  };
}
