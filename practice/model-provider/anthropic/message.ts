// A message on the Anthropic Messages wire, streamed and not streamed.
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
import { toFailureResponse } from "./failure.ts";

/** Starts a message in response to a request. */
export function startMessage(request: ModelRequest, receipt: Receipt): Message {
  const content: JsonObject[] = [];
  let stopReason = "end_turn";

  const event = (type: string, fields: JsonObject = {}) => formatServerSentEvent(type, { type, ...fields });
  const usage = (outputTokens: number) => ({
    input_tokens: receipt.inputTokens,
    cache_creation_input_tokens: 0,
    cache_read_input_tokens: 0,
    output_tokens: outputTokens,
    service_tier: "standard",
  });
  const message = (parts: JsonObject[], reason: string | null, outputTokens: number) => ({
    id: `msg_${receipt.digest}`,
    type: "message",
    role: "assistant",
    model: request.model,
    content: parts,
    stop_reason: reason,
    stop_sequence: null,
    usage: usage(outputTokens),
  });
  const block = (empty: JsonObject, full: JsonObject, deltas: JsonObject[]) => {
    const index = content.push(full) - 1;
    return [
      event("content_block_start", { index, content_block: empty }),
      ...deltas.map((delta) => event("content_block_delta", { index, delta })),
      event("content_block_stop", { index }),
    ].join("");
  };
  const outputTokens = () => countTokens(JSON.stringify(content).length);

  return {
    open: () => event("message_start", { message: message([], null, 1) }) + event("ping"),
    reason: () => "",
    say: (text, pieces) =>
      block(
        { type: "text", text: "" },
        { type: "text", text },
        toPieces(text, pieces).map((piece) => ({ type: "text_delta", text: piece })),
      ),
    call({ name, input }) {
      stopReason = "tool_use";
      const tool = { type: "tool_use", id: `toolu_${receipt.digest}${content.length}`, name };
      const pieces = ["", ...toPieces(JSON.stringify(input))];
      const deltas = pieces.map((piece) => ({ type: "input_json_delta", partial_json: piece }));
      return block({ ...tool, input: {} }, { ...tool, input }, deltas);
    },
    close: () =>
      event("message_delta", {
        delta: { stop_reason: stopReason, stop_sequence: null },
        usage: { output_tokens: outputTokens() },
      }) + event("message_stop"),
    fail: (failure: Failure) => formatServerSentEvent("error", toFailureResponse(failure).body),
    whole: () => message(content, stopReason, outputTokens()),
  };
}
