// The turn host: the object's end of the turn link. It applies a turn's events in order and each
// exactly once, stores them together with the cursor without an `await` between, and acknowledges
// them. The object may hibernate between events; heartbeats do not wake it.

import { desc, eq, lt, sql } from "drizzle-orm";
import type { DrizzleSqliteDODatabase } from "drizzle-orm/durable-sqlite";
import type { TurnLinkClaim } from "../../src/chat/rules/chat.ts";
import type { PrintedOutput } from "../../src/chat/rules/live-event.ts";
import { countPiece, type OutputAllowance } from "../../src/chat/rules/output-rate.ts";
import { invalidEventOutcome, readLinkFrame, sizeLimitOutcome } from "../../src/chat/turn-link-event.ts";
import { turnLinkBytes } from "../../src/rules/limits.ts";
import {
  type LinkCommand,
  linkPing,
  linkPong,
  linkTurnOver,
  type PrintedText,
  type TurnEvent,
  type TurnOutcome,
} from "../../src/sandbox-protocol/protocol.ts";
import type { Conversation } from "./conversation.ts";
import { blocks, type LinkCursor, links } from "./tables.ts";

/** The overhead of a stored row, counted for each event. */
const rowBytes = 256;

type BlockEvent = Extract<TurnEvent, { type: "block" | "text" }>;

export interface TurnHostParts {
  conversation: Conversation;
  /** True if the turn is unfinished and no newer sandbox generation runs it. */
  isLive(claim: TurnLinkClaim): boolean;
  onStarted(claim: TurnLinkClaim, agentVersion: string): void;
  onEnded(claim: TurnLinkClaim, outcome: TurnOutcome): void;
  onTargetCommit(commit: string): void;
  onSteered(claim: TurnLinkClaim, steerId: string, outcome: "taken" | "returned"): void;
  /** What a new link is sent, because an older one may have lost it: a stop, or untaken steers. */
  commandsFor(claim: TurnLinkClaim): LinkCommand[];
  /** Stores lines of the program's log, for owners that keep a log. */
  onLog(turnId: string, lines: string): void;
  onLinkLost(claim: TurnLinkClaim): void;
  /** True while somebody reads the turn's live events. */
  isRead(turnId: string): boolean;
  onOutput(output: PrintedOutput): void;
}

export interface TurnHost {
  /**
   * Accepts the link of a turn. If the turn is not live, the link is closed with `linkTurnOver`.
   */
  accept(claim: TurnLinkClaim): Response;
  message(socket: WebSocket, frame: string | ArrayBuffer): void;
  closed(socket: WebSocket): void;
  /** Sends a command to the turn's sandbox. False if no link is open. */
  command(turnId: string, command: LinkCommand): boolean;
  isLinked(turnId: string): boolean;
  /**
   * The time of the turn's last sign of life: a new link, an event or a heartbeat. Null if there
   * was none. Also stores the latest heartbeat.
   */
  lastSignAt(turnId: string): number | null;
}

/** Creates the turn host of an object. */
export function createTurnHost(ctx: DurableObjectState, db: DrizzleSqliteDODatabase, parts: TurnHostParts): TurnHost {
  ctx.setWebSocketAutoResponse(new WebSocketRequestResponsePair(linkPing, linkPong));

  const cursors = createLinkCursors(db);

  /** Changes a block. Returns true if the cursor was stored with it. */
  function changeBlock(turnId: string, event: BlockEvent, cursor: LinkCursor, newestPlace: number): boolean {
    const stored = event.index >= newestPlace ? cursor : undefined;
    const { conversation } = parts;
    if (event.type === "text") return conversation.growText(turnId, event.index, event.delta, stored) && !!stored;
    conversation.saveBlock(turnId, event.index, event.block, cursor.at, stored);
    return stored !== undefined;
  }

  /** Applies an event, and stores the cursor. */
  function apply(claim: TurnLinkClaim, event: TurnEvent, cursor: LinkCursor, newestPlace: number): void {
    const { turnId } = claim;
    if ("targetCommit" in event && event.targetCommit !== undefined) parts.onTargetCommit(event.targetCommit);
    switch (event.type) {
      case "started":
        parts.onStarted(claim, event.agentVersion);
        break;
      case "block":
      case "text":
        if (changeBlock(turnId, event, cursor, newestPlace)) return;
        break;
      case "steer":
        parts.onSteered(claim, event.steerId, event.outcome);
        break;
      case "log":
        parts.onLog(claim.turnId, event.lines);
        break;
      case "ended":
        allowances.delete(turnId);
        parts.onEnded(claim, event.outcome);
        break;
    }
    cursors.move(turnId, cursor);
  }

  /**
   * Stores the time of the latest heartbeat. The platform has it only for open links, and a silent
   * turn gives no other sign of life.
   */
  function recordHeartbeat(turnId: string, socket: WebSocket): void {
    const heartbeatAt = ctx.getWebSocketAutoResponseTimestamp(socket)?.getTime();
    if (heartbeatAt !== undefined) cursors.recordSign(turnId, heartbeatAt);
  }

  function send(socket: WebSocket, command: LinkCommand): void {
    socket.send(JSON.stringify(command));
  }

  /** How many more pieces of output each turn may send. An eviction of the object forgets it. */
  const allowances = new Map<string, OutputAllowance>();

  /** Passes a piece of a running tool's output to the readers. Nothing of it is stored. */
  function showOutput(socket: WebSocket, turnId: string, { index: place, at, text }: PrintedText): void {
    if (!parts.isRead(turnId)) {
      send(socket, { type: "hide_outputs" });
      return;
    }
    const left = countPiece(allowances.get(turnId), Date.now());
    if (left === null) return;
    allowances.set(turnId, left);
    const messageId = parts.conversation.findRunningTool(turnId, place);
    if (messageId !== null) parts.onOutput({ turnId, messageId, place, at, text });
  }

  return {
    accept(claim) {
      const { 0: theirs, 1: ours } = new WebSocketPair();
      if (!parts.isLive(claim)) {
        // Accepted without hibernation, because a hibernatable socket loses its close code if it is
        // closed before the response is sent.
        ours.accept();
        ours.close(linkTurnOver, "this turn is over");
        return new Response(null, { status: 101, webSocket: theirs });
      }
      for (const older of ctx.getWebSockets(claim.turnId)) older.close(1000, "replaced by a newer link");
      ctx.acceptWebSocket(ours, [claim.turnId]);
      ours.serializeAttachment(claim);
      cursors.recordSign(claim.turnId, Date.now());
      send(ours, { type: "ack", seq: cursors.of(claim.turnId).seq });
      for (const command of parts.commandsFor(claim)) send(ours, command);
      if (parts.isRead(claim.turnId)) send(ours, { type: "show_outputs" });
      return new Response(null, { status: 101, webSocket: theirs });
    },
    message(socket, frame) {
      // Attached by `accept`.
      const claim = socket.deserializeAttachment() as TurnLinkClaim;
      if (!parts.isLive(claim)) return socket.close(linkTurnOver, "this turn is over");
      const end = (outcome: TurnOutcome) => {
        // The program would send the event again forever, so the turn ends here and in its sandbox.
        parts.onEnded(claim, outcome);
        socket.close(linkTurnOver, "this turn is over");
      };
      const read = readLinkFrame(frame);
      if (read === null) return end(invalidEventOutcome);
      if ("output" in read) return showOutput(socket, claim.turnId, read.output);
      const { seq, event } = read;
      const cursor = cursors.of(claim.turnId);
      // The event was sent again after a reconnect, because its ack was lost.
      if (seq <= cursor.seq) return send(socket, { type: "ack", seq: cursor.seq });
      if (seq > cursor.seq + 1) return socket.close(1002, `expected event ${cursor.seq + 1}`);
      const bytes = cursor.bytes + getLength(frame) + rowBytes;
      if (bytes > turnLinkBytes && event.type !== "ended") return end(sizeLimitOutcome);
      const take = () => apply(claim, event, { seq, bytes, at: Date.now() }, cursor.newestPlace);
      // Without the transaction, text could be appended twice. Decisions run in their own
      // transaction and are idempotent.
      if (event.type === "block" || event.type === "text" || event.type === "log") ctx.storage.transactionSync(take);
      else take();
      send(socket, { type: "ack", seq });
    },
    closed(socket) {
      const claim = socket.deserializeAttachment() as TurnLinkClaim;
      if (!parts.isLive(claim)) return;
      recordHeartbeat(claim.turnId, socket);
      parts.onLinkLost(claim);
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
      for (const socket of ctx.getWebSockets(turnId)) recordHeartbeat(turnId, socket);
      return cursors.lastSignAt(turnId);
    },
  };
}

function getLength(frame: string | ArrayBuffer): number {
  return typeof frame === "string" ? frame.length : frame.byteLength;
}

function isOpen(socket: WebSocket): boolean {
  return socket.readyState === WebSocket.READY_STATE_OPEN;
}

/**
 * The cursor of each turn's link: the last stored event, and the turn's last sign of life. An event
 * that changes the newest block stores the cursor in the block's row, which is written anyway. Any
 * other event stores it in a separate row. The newer of the two rows counts.
 */
export interface LinkCursors {
  /**
   * The cursor of a turn; zeros if nothing has arrived. Changes of blocks from `newestPlace` on
   * store the cursor with the block.
   */
  of(turnId: string): { seq: number; bytes: number; newestPlace: number };
  /** Stores the cursor in its separate row. */
  move(turnId: string, to: LinkCursor): void;
  /**
   * Records a sign of life other than an event: an opened link, or a heartbeat. An older one than
   * the last is not written.
   */
  recordSign(turnId: string, at: number): void;
  /** Null if there was none. */
  lastSignAt(turnId: string): number | null;
}

/** Creates the cursors of an object. */
function createLinkCursors(db: DrizzleSqliteDODatabase): LinkCursors {
  const turnId = sql.placeholder("turnId");
  const { place, cursor } = blocks;
  // Every event of a turn uses these two. To build their SQL takes longer than to run it.
  const link = db.select().from(links).where(eq(links.turnId, turnId)).prepare();
  const ofTurn = db.select({ place, cursor }).from(blocks).where(eq(blocks.turnId, turnId));
  const block = ofTurn.orderBy(desc(place)).limit(1).prepare();
  const apart = (turnId: string) => link.get({ turnId });
  const newestBlock = (turnId: string) => block.get({ turnId });

  return {
    of(turnId) {
      const { seq, bytes } = apart(turnId) ?? { seq: 0, bytes: 0 };
      const { place: newestPlace, cursor } = newestBlock(turnId) ?? { place: 0, cursor: null };
      if (cursor === null || cursor.seq < seq) return { seq, bytes, newestPlace };
      return { seq: cursor.seq, bytes: cursor.bytes, newestPlace };
    },
    move(turnId, { seq, bytes, at }) {
      const moved = { seq, bytes, lastEventAt: at };
      db.insert(links)
        .values({ turnId, ...moved })
        .onConflictDoUpdate({ target: links.turnId, set: moved })
        .run();
    },
    recordSign(turnId, at) {
      db.insert(links)
        .values({ turnId, seq: 0, lastEventAt: at })
        .onConflictDoUpdate({ target: links.turnId, set: { lastEventAt: at }, setWhere: lt(links.lastEventAt, at) })
        .run();
    },
    lastSignAt(turnId) {
      const signs = [apart(turnId)?.lastEventAt, newestBlock(turnId)?.cursor?.at].filter((at) => at !== undefined);
      return signs.length === 0 ? null : Math.max(...signs);
    },
  };
}
