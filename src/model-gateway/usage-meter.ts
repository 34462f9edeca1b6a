// Counts the tokens of a model call, as the provider reports them in the response that is streamed
// through.

import { waitUntil } from "cloudflare:workers";
import { getTurnOwnerObject } from "../../durable-objects/address.ts";
import type { AnsweredCall, CallCounter } from "../../durable-objects/chat/rpc.ts";
import type { TurnOwner } from "../chat/rules/chat.ts";
import type { Env } from "../env.ts";
import { createId } from "../lib/ids.ts";
import { log } from "../lib/log.ts";
import { wait } from "../lib/timeout.ts";
import type { Provider } from "../model/providers.ts";
import type { Payer } from "../provider-login/rules/payer.ts";
import { listBackoffMs } from "../rules/backoff.ts";
import { createAnswerReader } from "./answer-reader.ts";
import { isEventStream, watchAnswer } from "./watched-answer.ts";

/** The maker of a call, its payer, and its counter. */
export interface CallMaker {
  owner: TurnOwner;
  workId: string;
  payer: Payer;
  provider: Provider;
  /** Disposed of at the end of the response. Until then, it keeps the object awake. */
  opened: Disposable & { counter: Pick<Rpc.Stub<CallCounter>, "countSoon" | "count"> };
}

/**
 * Returns the response, counting its tokens as it is streamed. A count that is read after the end
 * was forwarded includes them; they are stored afterwards. If the response is interrupted, the
 * tokens reported until then are counted.
 */
export function countAnswer(env: Env, answer: Response, maker: CallMaker): Response {
  const { body, status, headers } = answer;
  const { owner, workId, payer, opened } = maker;
  if (!answer.ok || body === null) {
    opened[Symbol.dispose]();
    return answer;
  }
  const reader = createAnswerReader(maker.provider.wire, isEventStream(headers));
  const { promise: counted, resolve } = Promise.withResolvers<void>();
  // The count is completed even if the client disconnects.
  waitUntil(counted);
  const watched = watchAnswer(body, reader, async () => {
    const tokens = reader.tokens();
    const end = () => {
      opened[Symbol.dispose]();
      resolve();
    };
    if (tokens === null) return end();
    const answered = { id: createId(), tokens };
    // An object that was restarted after the call was opened has lost its counter.
    const notifyAgain = () => notifyOwner(env, owner, { ...answered, workId, payer });
    try {
      await opened.counter.countSoon(answered);
    } catch {
      await notifyAgain();
      return end();
    }
    opened.counter.count(answered).catch(notifyAgain).finally(end);
  });
  return new Response(watched, { status, headers });
}

const pausesMs = listBackoffMs(3, { firstMs: 200, longestMs: 2_000 });

/**
 * Makes the owner count a call. Retried if the owner does not respond; the id of the call prevents
 * counting it twice.
 */
export async function notifyOwner(env: Env, owner: TurnOwner, call: AnsweredCall): Promise<void> {
  for (const pauseMs of pausesMs) {
    try {
      return await getTurnOwnerObject(env, owner).countCall(call);
    } catch (error) {
      log.warn("model_call.count_delayed", { callId: call.id, error });
      await wait(pauseMs);
    }
  }
  log.error("model_call.not_counted", { callId: call.id, workId: call.workId, usage: JSON.stringify(call.tokens) });
}
