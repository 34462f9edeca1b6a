// Watches over the stream of a chat: the workspace's event object closes the watch when the reader may read no more, as when they are removed, their
// key is revoked, or the project is deleted.
import { workspaceEventsObject } from "../../durable-objects/address.ts";
import type { WatchRequest } from "../../durable-objects/workspace-events/rpc.ts";
import type { Env } from "../env.ts";
import { reasonOf } from "../lib/error-text.ts";
import { justEndedHeader, watchPath } from "../workspace/event-wire.ts";

/**
 * Opens a watch. Null where it would promise nothing: the object does not answer, or it ended the reader's streams a moment ago, perhaps after
 * this one was let through. The stream then has to ask by itself.
 */
export async function watchEnd(
  env: Pick<Env, "WORKSPACE_EVENTS">,
  workspaceId: string,
  watched: WatchRequest,
): Promise<WebSocket | null> {
  const headers = { upgrade: "websocket", "x-listener": JSON.stringify(watched) };
  try {
    const answer = await workspaceEventsObject(env, workspaceId).fetch(`http://workspace${watchPath}`, { headers });
    if (!answer.headers.has(justEndedHeader)) return answer.webSocket;
    discard(answer.webSocket);
  } catch (error) {
    console.error("a stream is not watched:", reasonOf(error));
  }
  return null;
}

/** Closes a watch that no stream was opened for. */
export function discard(watch: WebSocket | null): void {
  watch?.accept();
  watch?.close(1000);
}
