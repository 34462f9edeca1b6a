// The event object: one per workspace. It hibernates between events, its listeners' sockets included.
import { DurableObject } from "cloudflare:workers";
import type { Env } from "../../src/env.ts";
import { eventText, liveFrame, moreFrame } from "../../src/resources/live-event.ts";
import { type WorkspaceEvent, workspaceEventOnWire } from "../../src/resources/workspace-event.ts";
import { type LoggedEvent, openWorkspaceLog } from "./log.ts";
import type { Listening, ListenRequest, WorkspaceEventsRpc } from "./rpc.ts";

/** How far a listener is. It is attached to the socket, so that it survives hibernation. */
interface Listener {
  userId: string;
  /** Missing from one who came to an earlier version. */
  keyId?: string;
  /** The last event that was sent; of a live listener, the last one before it was live. */
  cursor: number;
  /** True until the listener has been told that what was before is not told. */
  isToReset: boolean;
  isLive: boolean;
}

const eventsPerBatch = 100;

export class WorkspaceEventsObject extends DurableObject<Env> implements WorkspaceEventsRpc {
  readonly #log = openWorkspaceLog(this.ctx.storage);

  async tell(events: WorkspaceEvent[]): Promise<void> {
    const added = this.ctx.storage.transactionSync(() => events.map((told) => this.#log.append(told)));
    const told = added.filter((event) => event !== null);
    if (told.length === 0) return;
    // Each event is written once for all listeners but those who did it, to whom it is not New.
    const texts = new Map<string, string>();
    for (const socket of this.ctx.getWebSockets()) {
      const { isLive, userId } = attachedTo(socket);
      if (!isLive || socket.readyState !== WebSocket.READY_STATE_OPEN) continue;
      const reader = told.some(({ told }) => told.type === "activity" && told.event.actorId === userId) ? userId : "";
      const text = texts.get(reader) ?? this.#textOf(told, reader);
      texts.set(reader, text);
      socket.send(text);
    }
  }

  async end(of: Listening): Promise<void> {
    for (const socket of this.ctx.getWebSockets()) if (isMeant(of, attachedTo(socket))) socket.close(1000);
  }

  override async fetch(request: Request): Promise<Response> {
    const { userId, keyId, lastEventId }: ListenRequest = JSON.parse(request.headers.get("x-listener") ?? "");
    const seen = lastEventId !== null && /^\d{1,15}$/.test(lastEventId) ? Number(lastEventId) : null;
    const isToReset = seen === null || !this.#log.reaches(seen);
    const cursor = isToReset ? this.#log.newest() : seen;
    const listener: Listener = { userId, keyId, cursor, isToReset, isLive: false };
    const { 0: theirs, 1: ours } = new WebSocketPair();
    this.ctx.acceptWebSocket(ours);
    ours.serializeAttachment(listener);
    return new Response(null, { status: 101, webSocket: theirs });
  }

  override webSocketMessage(socket: WebSocket, frame: string | ArrayBuffer): void {
    const listener = attachedTo(socket);
    if (frame !== moreFrame || listener.isLive || socket.readyState !== WebSocket.READY_STATE_OPEN) return;
    const text = this.#next(listener);
    socket.serializeAttachment(listener);
    socket.send(text === "" ? liveFrame : text);
  }

  /** The next text for a listener who asked for more. Empty when there is none: the listener is live from then on. */
  #next(listener: Listener): string {
    if (listener.isToReset) {
      listener.isToReset = false;
      return eventText({ id: listener.cursor, event: "reset", data: "{}" });
    }
    const events = this.#log.after(listener.cursor, eventsPerBatch);
    listener.cursor = events.at(-1)?.id ?? listener.cursor;
    listener.isLive = events.length === 0;
    return this.#textOf(events, listener.userId);
  }

  #textOf(events: LoggedEvent[], userId: string): string {
    const texts = events.map(({ id, told }) => {
      const { event, data } = workspaceEventOnWire(told, userId, this.env.PUBLIC_URL);
      return eventText({ id, event, data: JSON.stringify(data) });
    });
    return texts.join("");
  }
}

/** What `fetch` has attached. */
function attachedTo(socket: WebSocket): Listener {
  return socket.deserializeAttachment() as Listener;
}

function isMeant(of: Listening, { userId, keyId }: Listener): boolean {
  if (of === "all") return true;
  return "userId" in of ? of.userId === userId : of.keyId === keyId;
}
