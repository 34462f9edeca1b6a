// Follows the live events of a chat, or of one turn, as server-sent events.
import type * as z from "zod";
import { getTurnOwnerObject, getWorkspaceEventsObject } from "../../durable-objects/address.ts";
import type { SubscribeRequest } from "../../durable-objects/chat/rpc.ts";
import type { WatchRequest } from "../../durable-objects/workspace-events/rpc.ts";
import type { NounKind } from "../access/queries.ts";
import { getRevalidationMs, isEndReported } from "../access/rules/stream-revalidation.ts";
import type { TurnOwner } from "../chat/rules/chat.ts";
import type { Env } from "../env.ts";
import { log } from "../lib/log.ts";
import { type Refusal, refuse } from "../rules/refusal.ts";
import { justEndedHeader, watchPath } from "../workspace/event-wire.ts";
import type { Call } from "./endpoint.ts";
import { type chatEventsQuery, createEventStream, findLastEventId } from "./event-stream.ts";
import { type Answer, events, noContent } from "./response.ts";

type Following = Pick<
  Call<NounKind, z.infer<typeof chatEventsQuery>, unknown>,
  "env" | "request" | "query" | "caller" | "isStillLetThrough"
> & { found: { workspace: { id: string }; project?: { id: string } } };

/** The events of an owner's chat. With a turn, only those of that turn, until it ends. */
export async function createOwnerStream(
  { env, request, query, caller, found, isStillLetThrough }: Following,
  owner: TurnOwner,
  turnId: string | null,
): Promise<Answer | Refusal> {
  const subscription: SubscribeRequest = {
    turnId,
    untilTurnId: caller.turnId,
    lastEventId: findLastEventId(request, query),
    wantsSnapshot: query.snapshot,
    isPerson: caller.facts.kind === "browser" || caller.facts.kind === "api-key",
  };
  const headers = { upgrade: "websocket", "x-live-subscription": JSON.stringify(subscription) };
  const { kind } = caller.facts;
  const watched = { userId: caller.user?.id ?? null, keyId: caller.keyId, projectId: found.project?.id ?? null };
  const [{ webSocket, status }, watch] = await Promise.all([
    getTurnOwnerObject(env, owner).fetch("http://owner/events", { headers }),
    isEndReported(kind) ? watchEnd(env, found.workspace.id, watched) : null,
  ]);
  if (webSocket) {
    const { expiresAt } = caller;
    const askEveryMs = getRevalidationMs(kind, watch !== null);
    return events(createEventStream(webSocket, { mayStillRead: isStillLetThrough, askEveryMs, expiresAt, watch }));
  }
  discard(watch);
  if (status === 401) return refuse("UNAUTHORIZED");
  return status === 204 ? noContent : noSuchStream;
}

const noSuchStream = refuse("NOT_FOUND", "There is no such stream.");

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
    discard(answer.webSocket);
  } catch (error) {
    log.warn("stream.not_watched", { workspaceId, error });
  }
  return null;
}

/** Closes a watch for which no stream was opened. */
function discard(watch: WebSocket | null): void {
  watch?.accept();
  watch?.close(1000);
}
