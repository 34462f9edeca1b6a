// Counts what a model call used, as its provider reports it in the answer that goes by.
import { waitUntil } from "cloudflare:workers";
import { turnOwnerObject } from "../../durable-objects/address.ts";
import type { AnsweredCall, CallCounter } from "../../durable-objects/chat/rpc.ts";
import type { TurnOwner } from "../chat/rules/chat.ts";
import type { Env } from "../env.ts";
import { reasonOf } from "../lib/error-text.ts";
import { newId } from "../lib/ids.ts";
import type { Provider } from "../model/providers.ts";
import type { Payer } from "../provider-login/rules/payer.ts";
import { type AnswerReader, openAnswerReader } from "./answer-reader.ts";

/** Who made a call, who paid for it, and what counts it. */
export interface CallMaker {
  owner: TurnOwner;
  workId: string;
  payer: Payer;
  provider: Provider;
  /** Disposed of with the end of the answer: until then the object is kept from its rest. */
  opened: Disposable & { counter: Pick<Rpc.Stub<CallCounter>, "answered" | "counted"> };
}

/**
 * The answer, whose tokens are in every count that is read once its end is passed on; they are
 * stored behind that. Of one that is broken off counts what was reported until then.
 */
export function countAnswer(env: Env, answer: Response, maker: CallMaker): Response {
  const { body, status, headers } = answer;
  const { owner, workId, payer, opened } = maker;
  if (!answer.ok || body === null) {
    opened[Symbol.dispose]();
    return answer;
  }
  const reader = openAnswerReader(maker.provider.wire, isEventStream(headers));
  const { promise: counted, resolve } = Promise.withResolvers<void>();
  // A client that breaks off takes nothing of the count with it.
  waitUntil(counted);
  const watched = watchAnswer(body, reader, async () => {
    const tokens = reader.tokens();
    const end = () => {
      opened[Symbol.dispose]();
      resolve();
    };
    if (tokens === null) return end();
    const answered = { id: newId(), tokens };
    // An object that has begun anew since the call was opened has forgotten its counter.
    const tellAnew = () => tellOwner(env, owner, { ...answered, workId, payer });
    try {
      await opened.counter.answered(answered);
    } catch {
      await tellAnew();
      return end();
    }
    opened.counter.counted(answered).catch(tellAnew).finally(end);
  });
  return new Response(watched, { status, headers });
}

const pausesMs = [100, 500, 2_000];

/**
 * Has the owner count a call. Tried again where the owner does not answer: the call's id keeps it
 * from being counted twice.
 */
export async function tellOwner(env: Env, owner: TurnOwner, call: AnsweredCall): Promise<void> {
  for (const pauseMs of pausesMs) {
    try {
      return await turnOwnerObject(env, owner).countCall(call);
    } catch (error) {
      console.error("a model call is not counted yet", call.id, reasonOf(error));
      await new Promise((resolve) => setTimeout(resolve, pauseMs));
    }
  }
  console.error("a model call was not counted", call.id, call.workId, JSON.stringify(call.tokens));
}

// An answer that is watched on its way: its bytes go on as they came, and are read beside that.

/**
 * Passes a body on. `onEnd` is called once, at its end, or when either side breaks off; the end of
 * the body waits for it, so that whoever has a whole answer knows that it was counted.
 */
export function watchAnswer(
  body: ReadableStream<Uint8Array>,
  reader: Pick<AnswerReader, "read" | "end">,
  onEnd: () => Promise<void>,
): ReadableStream<Uint8Array> {
  const source = body.getReader();
  let ended: Promise<void> | null = null;
  const end = () => {
    if (ended === null) {
      reader.end();
      ended = onEnd();
    }
    return ended;
  };
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        const { done, value } = await source.read();
        if (!done) {
          controller.enqueue(value);
          reader.read(value);
          return;
        }
      } catch (error) {
        await end();
        throw error;
      }
      await end();
      controller.close();
    },
    async cancel(reason) {
      await Promise.all([end(), source.cancel(reason)]);
    },
  });
}

/** True for an answer that is a stream of events. */
export function isEventStream(headers: Headers): boolean {
  return headers.get("content-type")?.startsWith("text/event-stream") ?? false;
}
