// The turn host: the end of the turn link that an object holds. It takes a turn's events in order, each exactly once, keeps them with
// the cursor in one stretch without `await`, and acknowledges them. Between events the object may sleep; heartbeats do not wake it.
import type { DrizzleSqliteDODatabase } from "drizzle-orm/durable-sqlite";
import type { TurnLinkClaim } from "../../src/rules/chat/turn-owner.ts";
import { turnLinkBytes } from "../../src/rules/limits.ts";
import { endless, readLinkEvent, unreadable } from "../../src/sandbox/link-event.ts";
import {
  type LinkCommand,
  linkPing,
  linkPong,
  linkTurnOver,
  type TurnEvent,
  type TurnOutcome,
} from "../../src/sandbox/protocol.ts";
import type { Conversation } from "./conversation.ts";
import { openLinkCursors } from "./link-cursors.ts";

/** What a row of storage takes beside its content. */
const rowBytes = 256;

export interface TurnHostParts {
  conversation: Conversation;
  /** True when this turn is unfinished and no newer sandbox generation has it. */
  isLive(claim: TurnLinkClaim): boolean;
  started(claim: TurnLinkClaim): void;
  ended(claim: TurnLinkClaim, outcome: TurnOutcome): void;
  onTargetCommit(commit: string): void;
  steered(claim: TurnLinkClaim, steerId: string, outcome: "taken" | "returned"): void;
  /** The steers that the turn's agent has not taken yet; a link that comes back gets them again. */
  steersFor(claim: TurnLinkClaim): LinkCommand[];
  linkLost(claim: TurnLinkClaim): void;
}

export interface TurnHost {
  /** Accepts the link of a turn; one that is not live is told so and closed. */
  accept(claim: TurnLinkClaim): Response;
  message(socket: WebSocket, frame: string | ArrayBuffer): void;
  closed(socket: WebSocket): void;
  /** Sends a command to the turn's sandbox; false when no link is up. */
  command(turnId: string, command: LinkCommand): boolean;
  isLinked(turnId: string): boolean;
  /** When the turn last gave a sign: a link dialled, an event or a heartbeat. Milliseconds; null when it never did. It is written down. */
  lastSignAt(turnId: string): number | null;
}

/** Opens the turn host of an object. */
export function openTurnHost(ctx: DurableObjectState, db: DrizzleSqliteDODatabase, parts: TurnHostParts): TurnHost {
  ctx.setWebSocketAutoResponse(new WebSocketRequestResponsePair(linkPing, linkPong));

  const cursors = openLinkCursors(db);

  function apply(claim: TurnLinkClaim, event: TurnEvent, now: number): void {
    if ("targetCommit" in event && event.targetCommit !== undefined) parts.onTargetCommit(event.targetCommit);
    switch (event.type) {
      case "started":
        parts.started(claim);
        break;
      case "block":
        parts.conversation.putBlock(claim.turnId, event.index, event.block, now);
        break;
      case "text":
        parts.conversation.growText(claim.turnId, event.index, event.delta);
        break;
      case "steer":
        parts.steered(claim, event.steerId, event.outcome);
        break;
      case "ended":
        parts.ended(claim, event.outcome);
        break;
    }
  }

  /** Heartbeats are known of links that are up alone, and a turn that works in silence gives no other sign. */
  function noteHeartbeat(turnId: string, socket: WebSocket): void {
    const heartbeatAt = ctx.getWebSocketAutoResponseTimestamp(socket)?.getTime();
    if (heartbeatAt !== undefined) cursors.noteSign(turnId, heartbeatAt);
  }

  function send(socket: WebSocket, command: LinkCommand): void {
    socket.send(JSON.stringify(command));
  }

  return {
    accept(claim) {
      const { 0: theirs, 1: ours } = new WebSocketPair();
      if (!parts.isLive(claim)) {
        // Not one that can sleep: such a one loses the word it is closed with before its answer is out.
        ours.accept();
        ours.close(linkTurnOver, "this turn is over");
        return new Response(null, { status: 101, webSocket: theirs });
      }
      for (const older of ctx.getWebSockets(claim.turnId)) older.close(1000, "replaced by a newer link");
      ctx.acceptWebSocket(ours, [claim.turnId]);
      ours.serializeAttachment(claim);
      cursors.noteSign(claim.turnId, Date.now());
      send(ours, { type: "ack", seq: cursors.of(claim.turnId).seq });
      for (const steer of parts.steersFor(claim)) send(ours, steer);
      return new Response(null, { status: 101, webSocket: theirs });
    },
    message(socket, frame) {
      // `accept` attached it.
      const claim = socket.deserializeAttachment() as TurnLinkClaim;
      if (!parts.isLive(claim)) return socket.close(linkTurnOver, "this turn is over");
      const end = (outcome: TurnOutcome) => {
        // It would be sent again and again, so the turn ends here, and in its sandbox too.
        parts.ended(claim, outcome);
        socket.close(linkTurnOver, "this turn is over");
      };
      const read = readLinkEvent(frame);
      if (read === null) return end(unreadable);
      const { seq, event } = read;
      const cursor = cursors.of(claim.turnId);
      // Sent again after a reconnect, because its ack was lost.
      if (seq <= cursor.seq) return send(socket, { type: "ack", seq: cursor.seq });
      if (seq > cursor.seq + 1) return socket.close(1002, `expected event ${cursor.seq + 1}`);
      const bytes = cursor.bytes + lengthOf(frame) + rowBytes;
      if (bytes > turnLinkBytes && event.type !== "ended") return end(endless);
      const now = Date.now();
      const take = () => {
        apply(claim, event, now);
        cursors.move(claim.turnId, { seq, bytes }, now);
      };
      // Text that grew twice would show. A decision is a transaction of its own, and changes nothing the second time.
      if (event.type === "block" || event.type === "text") ctx.storage.transactionSync(take);
      else take();
      send(socket, { type: "ack", seq });
    },
    closed(socket) {
      const claim = socket.deserializeAttachment() as TurnLinkClaim;
      if (!parts.isLive(claim)) return;
      noteHeartbeat(claim.turnId, socket);
      parts.linkLost(claim);
    },
    command(turnId, command) {
      const [socket] = ctx.getWebSockets(turnId).filter(isOpen);
      if (!socket) return false;
      send(socket, command);
      return true;
    },
    isLinked(turnId) {
      return ctx.getWebSockets(turnId).some(isOpen);
    },
    lastSignAt(turnId) {
      for (const socket of ctx.getWebSockets(turnId)) noteHeartbeat(turnId, socket);
      return cursors.lastSignAt(turnId);
    },
  };
}

function lengthOf(frame: string | ArrayBuffer): number {
  return typeof frame === "string" ? frame.length : frame.byteLength;
}

function isOpen(socket: WebSocket): boolean {
  return socket.readyState === WebSocket.READY_STATE_OPEN;
}
