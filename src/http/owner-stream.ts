// Follows the live events of a chat, or of one turn, as server-sent events.
import type * as z from "zod";
import { turnOwnerObject } from "../../durable-objects/address.ts";
import type { SubscribeRequest } from "../../durable-objects/chat/rpc.ts";
import type { NounKind } from "../access/queries.ts";
import { askAgainMs, isEndTold } from "../access/rules/stream-revalidation.ts";
import type { TurnOwner } from "../chat/rules/chat.ts";
import { type Refusal, refuse } from "../rules/refusal.ts";
import type { Call } from "./endpoint.ts";
import { eventStream } from "./event-stream.ts";
import { lastEventIdOf, type lastEventIdQuery } from "./event-stream-last-event-id.ts";
import { discard, watchEnd } from "./owner-stream-watch-end.ts";
import { type Answer, events, noContent } from "./response.ts";

type Following = Pick<
  Call<NounKind, z.infer<typeof lastEventIdQuery>, unknown>,
  "env" | "request" | "query" | "caller" | "isStillLetThrough"
> & { found: { workspace: { id: string }; project?: { id: string } } };

/** The events of an owner's chat; with a turn, of that turn to its end. */
export async function followOwner(
  { env, request, query, caller, found, isStillLetThrough }: Following,
  owner: TurnOwner,
  turnId: string | null,
): Promise<Answer | Refusal> {
  const subscription: SubscribeRequest = {
    turnId,
    untilTurnId: caller.turnId,
    lastEventId: lastEventIdOf(request, query),
    isPerson: caller.facts.kind === "browser" || caller.facts.kind === "api-key",
  };
  const headers = { upgrade: "websocket", "x-live-subscription": JSON.stringify(subscription) };
  const { kind } = caller.facts;
  const watched = { userId: caller.user?.id ?? null, keyId: caller.keyId, projectId: found.project?.id ?? null };
  const [{ webSocket, status }, watch] = await Promise.all([
    turnOwnerObject(env, owner).fetch("http://owner/events", { headers }),
    isEndTold(kind) ? watchEnd(env, found.workspace.id, watched) : null,
  ]);
  if (webSocket) {
    const { expiresAt } = caller;
    const askEveryMs = askAgainMs(kind, watch !== null);
    return events(eventStream(webSocket, { mayStillRead: isStillLetThrough, askEveryMs, expiresAt, watch }));
  }
  discard(watch);
  if (status === 401) return refuse("UNAUTHORIZED");
  return status === 204 ? noContent : noSuchStream;
}

const noSuchStream = refuse("NOT_FOUND", "There is no such stream.");
