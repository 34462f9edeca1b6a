// Ends the streams of those who may no longer follow a workspace, or a chat in it. A stream checks
// access only occasionally, so that a thousand listeners cost the database nothing.
import { waitUntil } from "cloudflare:workers";
import { getWorkspaceEventsObject } from "../../durable-objects/address.ts";
import type { Listening } from "../../durable-objects/workspace-events/rpc.ts";
import type { Env } from "../env.ts";
import { log } from "../lib/log.ts";

/**
 * Ends streams of a workspace, after the response is sent. A stream that is missed ends by itself
 * within minutes.
 */
export function endStreams(
  env: Pick<Env, "WORKSPACE_EVENTS" | "JURISDICTION">,
  workspaceId: string,
  of: Listening,
): void {
  const ended = getWorkspaceEventsObject(env, workspaceId).end(of);
  waitUntil(ended.catch((error: unknown) => log.warn("stream.not_ended", { workspaceId, error })));
}
