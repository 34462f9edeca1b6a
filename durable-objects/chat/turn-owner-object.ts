// The WebSockets of a chat: the link of its running turn, and the subscribers of its live events. A
// header distinguishes the two when they open, and a tag afterwards.
import type { TurnLinkClaim } from "../../src/chat/rules/chat.ts";
import type { Chat } from "./chat.ts";
import type { SubscribeRequest } from "./rpc.ts";

type Ports = Pick<Chat, "turnHost" | "subscribers">;

/** Opens the socket that a request asks for. */
export function openSocket({ turnHost, subscribers }: Ports, { headers }: Request): Response {
  const claim = headers.get("x-turn-link");
  if (claim !== null) {
    const { turnId, generation } = JSON.parse(claim) as TurnLinkClaim;
    return turnHost.accept({ turnId, generation });
  }
  const request = headers.get("x-live-subscription");
  if (request === null) return new Response("a turn link, or a subscriber of live events", { status: 400 });
  return subscribers.accept(JSON.parse(request) as SubscribeRequest);
}

/** Handles a frame of a socket. */
export function receive({ turnHost, subscribers }: Ports, socket: WebSocket, frame: string | ArrayBuffer): void {
  try {
    if (subscribers.owns(socket)) subscribers.message(socket, frame);
    else turnHost.message(socket, frame);
  } catch (error) {
    // The sender reconnects and sends again what was not stored.
    socket.close(1011, "this could not be taken");
    throw error;
  }
  subscribers.publish();
}

/** Handles a closed socket. */
export function noteClosed({ turnHost, subscribers }: Ports, socket: WebSocket): void {
  if (subscribers.owns(socket)) subscribers.closed(socket);
  else turnHost.closed(socket);
}
