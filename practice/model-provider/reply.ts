// Sends a response of the practice model as an event stream or as one JSON body, with the delays of
// the script.
import type { ServerResponse } from "node:http";
import { setTimeout as wait } from "node:timers/promises";
import type { Failure, FailureAnswer } from "./failure.ts";
import type { Answer } from "./model.ts";
import type { Message, ModelRequest, Receipt, Wire } from "./wire.ts";

/** Sends the response. Ends early if the client disconnects. */
export async function sendReply(
  response: ServerResponse,
  wire: Wire,
  request: ModelRequest,
  receipt: Receipt,
  answer: Answer,
): Promise<void> {
  const gone = new AbortController();
  response.once("close", () => gone.abort());
  const message = wire.message(request, receipt);
  const failsUnheard = answer.failure !== null && !answer.before.some((part) => part.kind === "say");
  try {
    if (request.streams && !failsUnheard) await stream(response, message, answer, gone.signal);
    else await sendWhole(response, wire, message, answer, gone.signal);
  } catch (error) {
    if (!gone.signal.aborted) throw error;
  }
}

/** Sends a failure as the first event of a stream, under status 200. */
export function sendStreamFailure(response: ServerResponse, message: Message, failure: Failure): void {
  response.writeHead(200, streamHeaders).end(message.open() + message.fail(failure));
}

/** Sends a JSON body. */
export function sendJson(response: ServerResponse, status: number, body: object, headers: Record<string, string> = {}) {
  response.writeHead(status, { ...headers, "content-type": "application/json" }).end(JSON.stringify(body));
}

/** Sends a failure in the form of its provider. */
export function sendFailure(response: ServerResponse, { status, body, headers }: FailureAnswer) {
  sendJson(response, status, body, headers);
}

/** About fifty words a second, like a real model. */
const pieceMs = 20;

const streamHeaders = { "content-type": "text/event-stream; charset=utf-8", "cache-control": "no-cache" };

async function stream(response: ServerResponse, message: Message, answer: Answer, signal: AbortSignal) {
  response.writeHead(200, streamHeaders);
  // Consecutive events are sent in one write.
  let events = message.open() + message.reason();
  for (const part of answer.before) {
    if (part.kind === "say" && part.overMs === undefined) events += message.say(part.text);
    else {
      response.write(events);
      events = "";
      if (part.kind === "sleep") await wait(part.ms, undefined, { signal });
      else await streamText(response, message, part.text, part.overMs ?? 0, signal);
    }
  }
  if (answer.call !== null) events += message.call(answer.call);
  response.end(events + (answer.failure === null ? message.close() : message.fail(answer.failure)));
}

/** Sends a text word by word, like a real model. */
async function streamText(
  response: ServerResponse,
  message: Message,
  text: string,
  overMs: number,
  signal: AbortSignal,
) {
  const events = message.say(text, Math.ceil(overMs / pieceMs)).split(/(?<=\n\n)/);
  const startedAt = performance.now();
  for (const [place, event] of events.entries()) {
    const early = startedAt + (place * overMs) / events.length - performance.now();
    if (early > 0) await wait(early, undefined, { signal });
    response.write(event);
  }
}

async function sendWhole(response: ServerResponse, wire: Wire, message: Message, answer: Answer, signal: AbortSignal) {
  message.reason();
  for (const part of answer.before) {
    if (part.kind === "say") message.say(part.text);
    else await wait(part.ms, undefined, { signal });
  }
  if (answer.failure !== null) return sendFailure(response, wire.failure(answer.failure));
  if (answer.call !== null) message.call(answer.call);
  sendJson(response, 200, message.whole());
}
