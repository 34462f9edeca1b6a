// The WebSockets of a session object: the link of its running turn, and those who follow its live events. Each kind is known by the header
// it opens with, and the readers' by their tag afterwards.

import type { TurnLinkClaim } from "../../src/sandbox/link-event.ts";
import type { ReaderOrder } from "../chat/subscription.ts";
import type { SessionDesk } from "./context.ts";

/** Opens the socket that a request asks for. */
export function openSocket({ turnHost, readers }: SessionDesk, { headers }: Request): Response {
  const claim = headers.get("x-turn-link");
  if (claim !== null) {
    const { turnId, generation } = JSON.parse(claim) as TurnLinkClaim;
    return turnHost.accept({ turnId, generation });
  }
  const order = headers.get("x-live-reader");
  if (order === null) return new Response("a turn link, or a reader of live events", { status: 400 });
  return readers.accept(JSON.parse(order) as ReaderOrder);
}

/** Takes what came over a socket. */
export function heed({ turnHost, readers }: SessionDesk, socket: WebSocket, frame: string | ArrayBuffer): void {
  try {
    if (readers.owns(socket)) readers.message(socket, frame);
    else turnHost.message(socket, frame);
  } catch (error) {
    // Whoever sent it hears nothing else of it: they dial anew, and what was not kept comes again.
    socket.close(1011, "this could not be taken");
    throw error;
  }
  readers.publish();
}

/** A socket has closed. A reader that goes away is nothing to see to. */
export function noteClosed({ turnHost, readers }: SessionDesk, socket: WebSocket): void {
  if (!readers.owns(socket)) turnHost.closed(socket);
}
