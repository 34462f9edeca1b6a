// A wire: the format of requests, streamed messages and failures of one family of providers.
import type { Conversation } from "./conversation.ts";
import type { Failure, FailureAnswer } from "./failure.ts";
import type { JsonObject } from "./json.ts";
import type { ToolCall } from "./tool-call.ts";

export interface ModelRequest {
  model: string;
  streams: boolean;
  conversation: Conversation;
  /** The maximum number of tokens in the response; null for no limit. */
  outputTokensMax: number | null;
  /** The encrypted reasoning of earlier responses. */
  reasoning: { id: string; encrypted: string }[];
  /** True if the response must include its encrypted reasoning. */
  wantsReasoning: boolean;
}

/**
 * Derived from a request's bytes and its account only, so that the same request always gets the
 * same response.
 */
export interface Receipt {
  /** The seed of ids. */
  digest: string;
  inputTokens: number;
  /** The account that reasoning is encrypted for. */
  account: string;
}

/** A message that is being built. Each part returns its stream events. */
export interface Message {
  open(): string;
  /** Its reasoning, if requested. */
  reason(): string;
  /** Splits the text over this many events. */
  say(text: string, pieces?: number): string;
  call(call: ToolCall): string;
  close(): string;
  /** The events of a failure in the middle of a message. */
  fail(failure: Failure): string;
  /** The message as the body of a response that is not streamed. */
  whole(): object;
}

export interface Wire {
  readRequest(body: JsonObject): ModelRequest | Failure;
  message(request: ModelRequest, receipt: Receipt): Message;
  failure(failure: Failure): FailureAnswer;
}

/** Formats a server-sent event. */
export function formatServerSentEvent(type: string, data: object): string {
  return `event: ${type}\ndata: ${JSON.stringify(data)}\n\n`;
}

const pieceCount = 8;

/** Splits a text into pieces without splitting a character. */
export function toPieces(text: string, count = pieceCount): string[] {
  const size = Math.ceil(text.length / count);
  const pieces: string[] = [];
  for (let start = 0; start < text.length; ) {
    let end = start + size;
    if (/[\uD800-\uDBFF]/.test(text[end - 1] ?? "")) end++;
    pieces.push(text.slice(start, end));
    start = end;
  }
  return pieces;
}

/** Estimates the tokens of a text. */
export function countTokens(length: number): number {
  return Math.ceil(length / 4);
}
