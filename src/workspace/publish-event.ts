// Notifies the listeners of a workspace about a change that no object decides.
import { waitUntil } from "cloudflare:workers";
import { getWorkspaceEventsObject } from "../../durable-objects/address.ts";
import type { Env } from "../env.ts";
import { log } from "../lib/log.ts";
import type { WorkspaceEvent } from "./event-wire.ts";

/** Sends an event after the response. A listener that misses it finds the change in the lists. */
export function publishEvent(
  env: Pick<Env, "WORKSPACE_EVENTS" | "JURISDICTION">,
  workspaceId: string,
  event: WorkspaceEvent,
): void {
  const published = getWorkspaceEventsObject(env, workspaceId).publish([event]);
  waitUntil(published.catch((error: unknown) => log.warn("workspace_event.not_published", { workspaceId, error })));
}

/** Has the listeners read the members and the invitations again. */
export function publishMembersChanged(env: Parameters<typeof publishEvent>[0], workspaceId: string): void {
  publishEvent(env, workspaceId, { type: "members-changed", workspaceId });
}
