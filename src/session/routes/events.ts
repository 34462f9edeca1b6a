// The live events of a session, or of one turn, as server-sent events.

import { liveEventSchema, sessionEventsSchema, turnEventsSchema } from "../../chat/wire/live-event.ts";
import { type Endpoint, endpoint } from "../../http/endpoint.ts";
import { chatEventsQuery } from "../../http/event-stream.ts";
import { createOwnerStream } from "../../http/owner-stream.ts";
import { eventStreamType } from "../../http/response.ts";
import { getIdTime } from "../../lib/ids.ts";
import { listBackoffMs } from "../../rules/backoff.ts";
import { isRefusal } from "../../rules/refusal.ts";

const tag = "Live events";

const followSession = endpoint({
  method: "GET",
  path: "/api/projects/{projectId}/chat-sessions/{sessionId}/events",
  operation: "followSession",
  summary: "Follow a session, from the first event of its newest turn.",
  tag,
  access: "session.read",
  noun: "session",
  query: chatEventsQuery,
  response: { status: 200, data: liveEventSchema, events: sessionEventsSchema, mediaType: eventStreamType },
  handle: (call) => createOwnerStream(call, { type: "session", id: call.found.session.id }, null),
});

const followTurn = endpoint({
  method: "GET",
  path: "/api/streams/{streamId}",
  operation: "followTurn",
  summary: "Follow one turn to its end. A turn's stream id is its job id.",
  tag,
  access: "stream.read",
  noun: "stream",
  query: chatEventsQuery,
  response: { status: 200, data: liveEventSchema, events: turnEventsSchema, mediaType: eventStreamType },
  emptyResponse: "The client has seen the end, and need not come back.",
  handle: (call) => createOwnerStream(call, call.found.stream.owner, call.params.streamId),
});

/** A turn appears in the index later than in its session, by less than this. */
const newTurnMs = 5_000;
/**
 * The delays between lookups. They are limited, because a deleted turn never appears in the index.
 */
const indexWaitsMs = listBackoffMs(5, { firstMs: 50, longestMs: 1_000 });

/** Retries the lookup of a turn that is too new for the index. */
function retriedWhileNew({ serve, ...declared }: Endpoint): Endpoint {
  return {
    ...declared,
    async serve(request, env, params) {
      const startedAt = getIdTime(params.streamId ?? "");
      let answer = await serve(request, env, params);
      for (const waitMs of Math.abs(Date.now() - startedAt) < newTurnMs ? indexWaitsMs : []) {
        if (!isRefusal(answer) || answer.code !== "NOT_FOUND") break;
        await scheduler.wait(waitMs);
        answer = await serve(request, env, params);
      }
      return answer;
    },
  };
}

export const eventRoutes = [followSession, retriedWhileNew(followTurn)];
