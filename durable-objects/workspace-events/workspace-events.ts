// The event object: one per workspace. It hibernates between events, including its listeners'
// sockets.

import { formatEvent, liveFrame, moreFrame } from "../../src/chat/wire/live-event.ts";
import type { DeletedPerson } from "../../src/deletion/rules/person.ts";
import { eventBatchBytes } from "../../src/rules/limits.ts";
import {
  findOnlyReader,
  justEndedHeader,
  toWireWorkspaceEvent,
  type WorkspaceEvent,
  watchPath,
} from "../../src/workspace/event-wire.ts";
import { deletePersonFromTables } from "../object/delete-person.ts";
import { ServiceObject } from "../object/service-object.ts";
import { createWorkspaceLog, type LoggedEvent } from "./log.ts";
import type { Listening, ListenRequest, WatchRequest, WorkspaceEventsRpc } from "./rpc.ts";

/** The position of a listener. It is attached to the socket, so that it survives hibernation. */
interface Listener extends WatchRequest {
  userId: string;
  personId: string | null;
  /** The last event that was sent; for a live listener, the last one before it became live. */
  cursor: number;
  /** True until the listener has been notified that it gets no earlier events. */
  isToReset: boolean;
  isLive: boolean;
}

type Reader = Pick<Listener, "userId" | "personId">;

const anyReader: Reader = { userId: "", personId: null };
const eventsPerBatch = 100;
const encoder = new TextEncoder();
/** Longer than a request takes from its access check to this object. */
const justNowMs = 30_000;
const listenerTag = "listener";
const watchTag = "watch";

export class WorkspaceEventsObject extends ServiceObject implements WorkspaceEventsRpc {
  #log = createWorkspaceLog(this.ctx.storage);
  #ended: { of: Listening; at: number }[] = [];

  async publish(events: WorkspaceEvent[]): Promise<void> {
    const added = this.ctx.storage.transactionSync(() => events.map((event) => this.#log.append(event)));
    const logged = added.filter((event) => event !== null);
    if (logged.length === 0) return;
    // Each event is serialized once for all listeners, and separately for the person who caused it,
    // to whom it is not New, and for the only person who gets it.
    const texts = new Map<string, string>();
    for (const socket of this.ctx.getWebSockets(listenerTag)) {
      const listener = attachedTo(socket);
      if (!listener.isLive || socket.readyState !== WebSocket.READY_STATE_OPEN) continue;
      const isOwner = logged.some(({ event }) => isOwn(event, listener));
      const reader = isOwner ? `${listener.userId} ${listener.personId}` : "";
      const text = texts.get(reader) ?? this.#getText(logged, isOwner ? listener : anyReader);
      texts.set(reader, text);
      if (text !== "") socket.send(text);
    }
  }

  async end(of: Listening): Promise<void> {
    const now = Date.now();
    this.#ended = [...this.#ended.filter(({ at }) => now - at < justNowMs), { of, at: now }];
    for (const socket of this.ctx.getWebSockets()) if (isMeant(of, socket.deserializeAttachment())) socket.close(1000);
  }

  async deletePerson(person: DeletedPerson): Promise<void> {
    deletePersonFromTables(this.ctx.storage, person);
  }

  async delete(): Promise<void> {
    await this.end("all");
    await this.ctx.storage.deleteAll();
    // Requests that were authorized before the deletion still publish and listen.
    this.#log = createWorkspaceLog(this.ctx.storage);
  }

  override async fetch(request: Request): Promise<Response> {
    const asked = JSON.parse(request.headers.get("x-listener") ?? "");
    return new URL(request.url).pathname === watchPath ? this.#watch(asked) : this.#listen(asked);
  }

  #watch(watch: WatchRequest): Response {
    return this.#accept(watch, watchTag);
  }

  #listen({ userId, personId, keyId, lastEventId }: ListenRequest): Response {
    const seen = lastEventId !== null && /^\d{1,15}$/.test(lastEventId) ? Number(lastEventId) : null;
    const isToReset = seen === null || !this.#log.reaches(seen);
    const cursor = isToReset ? this.#log.newest() : seen;
    return this.#accept({ userId, personId, keyId, projectId: null, cursor, isToReset, isLive: false }, listenerTag);
  }

  #accept(whose: WatchRequest | Listener, tag: string): Response {
    const { 0: theirs, 1: ours } = new WebSocketPair();
    this.ctx.acceptWebSocket(ours, [tag]);
    ours.serializeAttachment(whose);
    const isJustEnded = this.#ended.some(({ of, at }) => Date.now() - at < justNowMs && isMeant(of, whose));
    const headers: HeadersInit = isJustEnded ? { [justEndedHeader]: "yes" } : {};
    return new Response(null, { status: 101, webSocket: theirs, headers });
  }

  override webSocketMessage(socket: WebSocket, frame: string | ArrayBuffer): void {
    if (!this.ctx.getTags(socket).includes(listenerTag)) return;
    const listener = attachedTo(socket);
    if (frame !== moreFrame || listener.isLive || socket.readyState !== WebSocket.READY_STATE_OPEN) return;
    const text = this.#next(listener);
    socket.serializeAttachment(listener);
    socket.send(text === "" ? liveFrame : text);
  }

  /**
   * The next text for a listener who asked for more. It is empty if there is none, and the listener
   * is live from then on.
   */
  #next(listener: Listener): string {
    // The log may have dropped events that a slow listener has not received yet.
    if (listener.isToReset || !this.#log.reaches(listener.cursor)) {
      listener.isToReset = false;
      listener.cursor = this.#log.newest();
      return formatEvent({ id: listener.cursor, event: "reset", data: "{}" });
    }
    const texts: string[] = [];
    let bytes = 0;
    for (const event of this.#log.after(listener.cursor, listener.personId, eventsPerBatch)) {
      const text = this.#getText([event], listener);
      bytes += encoder.encode(text).length;
      // An event that does not fit starts the next batch. The first is sent whatever its size, so
      // that each batch makes progress.
      if (texts.length > 0 && bytes > eventBatchBytes) break;
      texts.push(text);
      listener.cursor = event.id;
    }
    listener.isLive = texts.length === 0;
    return texts.join("");
  }

  #getText(events: LoggedEvent[], { userId, personId }: Reader): string {
    const reader = { userId, publicUrl: this.env.PUBLIC_URL, now: Date.now() };
    const texts = events.map(({ id, event }) => {
      if (![null, personId].includes(findOnlyReader(event))) return "";
      const wire = toWireWorkspaceEvent(event, reader);
      return formatEvent({ id, event: wire.event, data: JSON.stringify(wire.data) });
    });
    return texts.join("");
  }
}

/** What `fetch` has attached to a listener. */
function attachedTo(socket: WebSocket): Listener {
  return socket.deserializeAttachment() as Listener;
}

/** True for an event that its own person gets in another form than the others. */
function isOwn(event: WorkspaceEvent, { userId, personId }: Reader): boolean {
  if (event.type === "activity") return event.event.actorId === userId;
  return personId !== null && findOnlyReader(event) === personId;
}

function isMeant(of: Listening, { userId, keyId, projectId }: WatchRequest): boolean {
  if (of === "all") return true;
  if ("userId" in of) return of.userId === userId;
  return "keyId" in of ? of.keyId === keyId : of.projectId === projectId;
}
