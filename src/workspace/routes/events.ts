// The live stream of a workspace, as server-sent events.
import { getWorkspaceEventsObject } from "../../../durable-objects/address.ts";
import type { ListenRequest } from "../../../durable-objects/workspace-events/rpc.ts";
import { findPersonId } from "../../access/rules/caller.ts";
import { getRevalidationMs } from "../../access/rules/stream-revalidation.ts";
import { endpoint } from "../../http/endpoint.ts";
import { createEventStream, findLastEventId, lastEventIdQuery } from "../../http/event-stream.ts";
import { eventStreamType, events } from "../../http/response.ts";
import { refuse } from "../../rules/refusal.ts";
import { justEndedHeader, workspaceEventSchema, workspaceEventsSchema } from "../event-wire.ts";

const followWorkspace = endpoint({
  method: "GET",
  path: "/api/organizations/{workspaceId}/events",
  operation: "followWorkspace",
  summary: "Follow a workspace: its activity, and every session's row in lists whenever it changes.",
  tag: "Live events",
  access: "workspace.follow",
  noun: "workspace",
  query: lastEventIdQuery,
  answers: { status: 200, data: workspaceEventSchema, events: workspaceEventsSchema, mediaType: eventStreamType },
  async handle({ env, request, query, caller, found, isStillLetThrough }) {
    if (!caller.user) return refuse("FORBIDDEN");
    const { user, keyId, facts } = caller;
    const lastEventId = findLastEventId(request, query);
    const listener: ListenRequest = { userId: user.id, personId: findPersonId(caller), keyId, lastEventId };
    const headers = { upgrade: "websocket", "x-listener": JSON.stringify(listener) };
    const object = getWorkspaceEventsObject(env, found.workspace.id);
    const { webSocket, headers: told } = await object.fetch("http://workspace/events", { headers });
    if (!webSocket) return refuse("SERVICE_UNAVAILABLE");
    const askEveryMs = getRevalidationMs(facts.kind, !told.has(justEndedHeader));
    return events(
      createEventStream(webSocket, { mayStillRead: isStillLetThrough, askEveryMs, expiresAt: caller.expiresAt }),
    );
  },
});

export const workspaceEventRoutes = [followWorkspace];
