// Watches whether somebody still has access to a workspace, for what stays open for long: a stream,
// a terminal.
import { getWorkspaceEventsObject } from "../../durable-objects/address.ts";
import type { WatchRequest } from "../../durable-objects/workspace-events/rpc.ts";
import type { Env } from "../env.ts";
import { log } from "../lib/log.ts";
import { justEndedHeader, watchPath } from "./event-wire.ts";

/**
 * Watches the reader's access to the stream of a chat. The workspace's event object closes the
 * watch when the reader loses access. Null if a watch would guarantee nothing: the object does not
 * respond, or it ended the reader's streams a moment ago, perhaps after this stream was authorized.
 * The stream must then check by itself.
 */
export async function watchEnd(
  env: Pick<Env, "WORKSPACE_EVENTS" | "JURISDICTION">,
  workspaceId: string,
  watched: WatchRequest,
): Promise<WebSocket | null> {
  const headers = { upgrade: "websocket", "x-listener": JSON.stringify(watched) };
  try {
    const answer = await getWorkspaceEventsObject(env, workspaceId).fetch(`http://workspace${watchPath}`, { headers });
    if (!answer.headers.has(justEndedHeader)) return answer.webSocket;
    endWatch(answer.webSocket);
  } catch (error) {
    log.warn("stream.not_watched", { workspaceId, error });
  }
  return null;
}

/** Closes a watch that nothing uses. */
export function endWatch(watch: WebSocket | null): void {
  watch?.accept();
  watch?.close(1000);
}
