// Live events of the Deploy Chat on the wire.

import { chatEventOnWire, type WireEvent } from "../../resources/live-event.ts";
import type { ChatEvent } from "../../rules/chat/live-event.ts";
import type { DeployChanged } from "../rules/live-event.ts";
import { deployOnWire } from "./deploy.ts";

/** Converts an event of a Deploy Chat. `projectId` is for the URLs of its attachments. */
export function deployEventOnWire(event: ChatEvent | DeployChanged, projectId: string): WireEvent {
  if (event.type !== "deploy-changed") return chatEventOnWire(event, { projectId });
  return { event: "deploy", data: { deploy: event.deploy && deployOnWire(event.deploy) } };
}
