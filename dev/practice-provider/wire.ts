// A wire: how one family of providers words requests, streamed messages and failures.
import type { Conversation } from "./conversation.ts";
import type { Failure, FailureAnswer } from "./failure.ts";
import type { JsonObject } from "./json.ts";
import type { ToolCall } from "./tool-call.ts";

export interface ModelRequest {
  model: string;
  streams: boolean;
  conversation: Conversation;
}

/** What is drawn from a request's bytes, so that the same request always gets the same answer. */
export interface Receipt {
  /** Makes ids: the same bytes, the same ids. */
  digest: string;
  inputTokens: number;
}

/** A message in the making. Each part returns the events that announce it. */
export interface Message {
  open(): string;
  say(text: string): string;
  call(call: ToolCall): string;
  close(): string;
  /** The events of a failure in the middle of a message. */
  fail(failure: Failure): string;
  /** The message so far, as a request that does not stream gets it. */
  whole(): object;
}

export interface Wire {
  readRequest(body: JsonObject): ModelRequest | Failure;
  message(request: ModelRequest, receipt: Receipt): Message;
  failure(failure: Failure): FailureAnswer;
}

/** One server-sent event. */
export function serverSentEvent(type: string, data: object): string {
  return `event: ${type}\ndata: ${JSON.stringify(data)}\n\n`;
}

const pieceCount = 8;

/** A text in several pieces, none of which splits a character. */
export function piecesOf(text: string): string[] {
  const size = Math.ceil(text.length / pieceCount);
  const pieces: string[] = [];
  for (let start = 0; start < text.length; ) {
    let end = start + size;
    if (/[\uD800-\uDBFF]/.test(text[end - 1] ?? "")) end++;
    pieces.push(text.slice(start, end));
    start = end;
  }
  return pieces;
}

/** Roughly what a tokenizer would count. */
export function tokensOf(length: number): number {
  return Math.ceil(length / 4);
}
