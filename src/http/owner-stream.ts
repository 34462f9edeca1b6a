// Follows the live events of a chat, or of one turn, as server-sent events.
import type * as z from "zod";
import { getTurnOwnerObject } from "../../durable-objects/address.ts";
import type { SubscribeRequest } from "../../durable-objects/chat/rpc.ts";
import type { NounKind } from "../access/queries.ts";
import { getRevalidationMs, isEndReported } from "../access/rules/stream-revalidation.ts";
import type { TurnOwner } from "../chat/rules/chat.ts";
import { type Refusal, refuse } from "../rules/refusal.ts";
import { endWatch, watchEnd } from "../workspace/watch-end.ts";
import type { Call } from "./endpoint.ts";
import { type chatEventsQuery, createEventStream, findLastEventId } from "./event-stream.ts";
import { events, noContent, type RouteResult } from "./response.ts";

type Following = Pick<
  Call<NounKind, z.infer<typeof chatEventsQuery>, unknown>,
  "env" | "request" | "query" | "caller" | "isStillAuthorized"
> & { found: { workspace: { id: string }; project?: { id: string } } };

/** The events of an owner's chat. With a turn, only those of that turn, until it ends. */
export async function createOwnerStream(
  { env, request, query, caller, found, isStillAuthorized }: Following,
  owner: TurnOwner,
  turnId: string | null,
): Promise<RouteResult | Refusal> {
  const subscription: SubscribeRequest = {
    turnId,
    untilTurnId: caller.turnId,
    lastEventId: findLastEventId(request, query),
    wantsSnapshot: query.snapshot,
    isPerson: caller.facts.kind === "browser" || caller.facts.kind === "api-key",
    followerId: caller.facts.kind === "browser" ? (caller.user?.id ?? null) : null,
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
    const checkEveryMs = getRevalidationMs(kind, watch !== null);
    return events(createEventStream(webSocket, { isStillAuthorized, checkEveryMs, expiresAt, watch }));
  }
  endWatch(watch);
  if (status === 401) return refuse("UNAUTHORIZED");
  return status === 204 ? noContent : noSuchStream;
}

const noSuchStream = refuse("NOT_FOUND", "There is no such stream.");
