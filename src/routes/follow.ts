// Follows the live events of a chat, or of one turn, as server-sent events.
import type * as z from "zod";
import { turnOwnerObject } from "../../durable-objects/address.ts";
import type { SubscribeRequest } from "../../durable-objects/chat/rpc.ts";
import { type Answer, events, noContent } from "../http/answer.ts";
import type { Call } from "../http/endpoint.ts";
import { eventStream } from "../http/event-stream.ts";
import { lastEventIdOf, type lastEventIdQuery } from "../http/last-event-id.ts";
import type { TurnOwner } from "../rules/chat/turn-owner.ts";
import { type Refusal, refuse } from "../rules/refusal.ts";
import type { NounKind } from "../storage/queries/access.ts";

type Following = Pick<
  Call<NounKind, z.infer<typeof lastEventIdQuery>, unknown>,
  "env" | "request" | "query" | "caller" | "isStillLetThrough"
>;

/** The events of an owner's chat; with a turn, of that turn to its end. */
export async function followOwner(
  { env, request, query, caller, isStillLetThrough }: Following,
  owner: TurnOwner,
  turnId: string | null,
): Promise<Answer | Refusal> {
  const subscription: SubscribeRequest = {
    turnId,
    untilTurnId: caller.turnId,
    lastEventId: lastEventIdOf(request, query),
  };
  const headers = { upgrade: "websocket", "x-live-subscription": JSON.stringify(subscription) };
  const { webSocket, status } = await turnOwnerObject(env, owner).fetch("http://owner/events", { headers });
  if (webSocket) return events(eventStream(webSocket, isStillLetThrough));
  if (status === 401) return refuse("UNAUTHORIZED");
  return status === 204 ? noContent : noSuchStream;
}

const noSuchStream = refuse("NOT_FOUND", "There is no such stream.");
