// The live events of a session, or of one turn, as server-sent events.
import type * as z from "zod";
import { turnOwnerObject } from "../../../durable-objects/address.ts";
import type { SubscribeRequest } from "../../../durable-objects/chat/rpc.ts";
import { type Answer, eventStreamType, events, noContent } from "../../http/answer.ts";
import { type Call, type Endpoint, endpoint } from "../../http/endpoint.ts";
import { eventStream } from "../../http/event-stream.ts";
import { lastEventIdOf, lastEventIdQuery } from "../../http/last-event-id.ts";
import { idTime } from "../../ids.ts";
import { liveEventSchema } from "../../resources/live-event-schema.ts";
import type { TurnOwner } from "../../rules/chat/turn-owner.ts";
import { isRefusal, type Refusal, refuse } from "../../rules/refusal.ts";

const tag = "Live events";

const followSession = endpoint({
  method: "GET",
  path: "/api/projects/{projectId}/chat-sessions/{sessionId}/events",
  operation: "followSession",
  summary: "Follow a session: its newest turn from its first event on, and then what happens.",
  tag,
  access: "session.read",
  noun: "session",
  query: lastEventIdQuery,
  answers: { status: 200, data: liveEventSchema, mediaType: eventStreamType },
  handle: (call) => followOwner(call, { type: "session", id: call.found.session.id }, null),
});

const followTurn = endpoint({
  method: "GET",
  path: "/api/streams/{streamId}",
  operation: "followTurn",
  summary: "Follow one turn to its end. A turn's stream id is its job id.",
  tag,
  access: "stream.read",
  noun: "stream",
  query: lastEventIdQuery,
  answers: { status: 200, data: liveEventSchema, mediaType: eventStreamType },
  answersNothing: "The client has seen the end, and need not come back.",
  handle: (call) => followOwner(call, { type: "session", id: call.found.session.id }, call.params.streamId ?? ""),
});

type Following = Pick<
  Call<"none", z.infer<typeof lastEventIdQuery>, unknown>,
  "env" | "request" | "query" | "caller" | "isStillLetThrough"
>;

/** Follows one turn of an owner, or with null the whole chat. */
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

/** The index knows a turn later than its session does, by less than this. */
const newTurnMs = 5_000;
/** The pauses between lookups. They are bounded, because a turn that was deleted never appears in the index. */
const indexWaitsMs = [50, 100, 200, 400, 800];

/** Retries the lookup of a turn that is so new that the index may not have it yet. */
function retriedWhileNew({ serve, ...declared }: Endpoint): Endpoint {
  return {
    ...declared,
    async serve(request, env, params) {
      const begunAt = idTime(params.streamId ?? "");
      let answer = await serve(request, env, params);
      for (const waitMs of Math.abs(Date.now() - begunAt) < newTurnMs ? indexWaitsMs : []) {
        if (!isRefusal(answer) || answer.code !== "NOT_FOUND") break;
        await scheduler.wait(waitMs);
        answer = await serve(request, env, params);
      }
      return answer;
    },
  };
}

export const eventRoutes = [followSession, retriedWhileNew(followTurn)];
