// The live events of the Deploy Chat, as server-sent events.
import { eventStreamType } from "../../http/answer.ts";
import { endpoint } from "../../http/endpoint.ts";
import { lastEventIdQuery } from "../../http/last-event-id.ts";
import { followOwner } from "../../routes/follow.ts";
import { deployEventSchema } from "../wire/chat-deploy-event-schema.ts";

const followDeploys = endpoint({
  method: "GET",
  path: "/api/projects/{projectId}/deploy-messages/events",
  operation: "followDeploys",
  summary: "Follow the Deploy Chat: its newest turn from its first event on, and then what happens.",
  tag: "Deploys",
  access: "deploy.read",
  noun: "project",
  query: lastEventIdQuery,
  answers: { status: 200, data: deployEventSchema, mediaType: eventStreamType },
  handle: (call) => followOwner(call, { type: "project", id: call.found.project.id }, null),
});

export const deployEventRoutes = [followDeploys];
