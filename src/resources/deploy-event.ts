// Live events of the Deploy Chat on the wire.
import type { ChatEvent } from "../rules/chat/live-event.ts";
import type { DeployChanged } from "../rules/deploy/live-event.ts";
import { deployOnWire } from "./deploy.ts";
import { chatEventOnWire, type WireEvent } from "./live-event.ts";

/** Converts an event of a Deploy Chat. `projectId` is for the URLs of its attachments. */
export function deployEventOnWire(event: ChatEvent | DeployChanged, projectId: string): WireEvent {
  if (event.type !== "deploy-changed") return chatEventOnWire(event, { projectId });
  return { event: "deploy", data: { deploy: event.deploy && deployOnWire(event.deploy) } };
}
