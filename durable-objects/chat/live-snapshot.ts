// A snapshot: the current state as events, of an owner, its chat and the newest turn, or of one
// turn. It replaces events that the log has dropped. It is read in parts. The last part is read
// without `await` up to the log's newest event, so that no event is lost or repeated.
import { and, asc, eq, gt, lt } from "drizzle-orm";
import type { DrizzleSqliteDODatabase } from "drizzle-orm/durable-sqlite";
import type { ChatState } from "../../src/chat/rules/chat.ts";
import {
  type LiveEvent,
  type OwnerEvent,
  toMessageEvent,
  toQueueEvent,
  toTurnEndedEvent,
  toTurnEvent,
} from "../../src/chat/rules/live-event.ts";
import { isUnfinished, type Turn } from "../../src/chat/rules/turn.ts";
import type { LiveEvents } from "./live-events.ts";
import { blocks, messages } from "./tables.ts";

/** How far a snapshot has been read. */
export interface SnapshotProgress {
  /** The turn of the snapshot. */
  turnId: string | null;
  /** The last event whose change is included in the parts read so far. */
  since: number;
  /** The index of the last block that was read, and below it the position of the last message. */
  place: number;
  messageSeq: number;
}

export interface SnapshotParts {
  log: LiveEvents;
  /** Null after its owner is deleted. */
  find(): ChatState | null;
  /** The owner's current state. */
  listOwnerEvents(): OwnerEvent[];
  turn(turnId: string): Turn | null;
}

export interface Snapshots {
  begin(turnId: string | null): SnapshotProgress;
  /**
   * Reads the next part and advances the progress. `isWhole` is true for the last part; the
   * snapshot then includes all events up to `since`.
   */
  read(progress: SnapshotProgress, ofOneTurn: boolean): { events: LiveEvent[]; isWhole: boolean };
}

const partBytes = 256 * 2 ** 10;
const pageBlocks = 16;

/** Creates the snapshots of a chat. */
export function createSnapshots(
  db: DrizzleSqliteDODatabase,
  { log, find, listOwnerEvents, turn }: SnapshotParts,
): Snapshots {
  const begin = (turnId: string | null) => ({ turnId, since: log.span().newest, place: -1, messageSeq: 0 });

  /** The user messages of a turn between two positions in the conversation. */
  function listMessages(turnId: string, afterSeq: number, beforeSeq: number): LiveEvent[] {
    const between = and(gt(messages.seq, afterSeq), lt(messages.seq, beforeSeq));
    const ofUsers = and(eq(messages.turnId, turnId), eq(messages.role, "user"), between);
    const rows = db.select().from(messages).where(ofUsers).orderBy(asc(messages.seq)).all();
    return rows.flatMap(({ content, author, delivery, ...message }) =>
      author && delivery ? [toMessageEvent({ ...message, content: content ?? "", author, delivery })] : [],
    );
  }

  /** Reads blocks, each after the messages that precede it. Returns true if no blocks are left. */
  function readBlocks(events: LiveEvent[], turnId: string, progress: SnapshotProgress): boolean {
    for (let bytes = 0; ; ) {
      const rows = db
        .select({ messageId: messages.id, seq: messages.seq, place: blocks.place, block: blocks.block })
        .from(blocks)
        .innerJoin(messages, eq(messages.seq, blocks.messageSeq))
        .where(and(eq(blocks.turnId, turnId), gt(blocks.place, progress.place)))
        .orderBy(asc(blocks.place))
        .limit(pageBlocks)
        .all();
      for (const { messageId, seq, place, block } of rows) {
        if (seq > progress.messageSeq) events.push(...listMessages(turnId, progress.messageSeq, seq));
        events.push({ type: "answer-block", turnId, messageId, place, block });
        progress.messageSeq = Math.max(progress.messageSeq, seq);
        progress.place = place;
        bytes += JSON.stringify(block).length;
        if (bytes >= partBytes) return false;
      }
      if (rows.length < pageBlocks) return true;
    }
  }

  return {
    begin,
    read(progress, ofOneTurn) {
      const events: LiveEvent[] = [];
      const chat = find();
      while (chat) {
        const { turnId } = progress;
        const shown = turnId === null ? null : turn(turnId);
        if (turnId !== null && shown) {
          if (!readBlocks(events, turnId, progress)) return { events, isWhole: false };
          const { newest, oldest } = log.span();
          // Blocks that changed since the earlier parts are read again. If the log no longer
          // reaches back that far, all blocks are.
          const changed = progress.since < oldest - 1 ? 0 : log.earliestChangedAfter(progress.since, turnId);
          progress.since = newest;
          if (changed !== null) {
            progress.place = changed - 1;
            continue;
          }
          events.push(...listMessages(turnId, progress.messageSeq, Number.MAX_SAFE_INTEGER));
          events.push(toTurnEvent(shown), ...(isUnfinished(shown) ? [] : [toTurnEndedEvent(shown)]));
        }
        const next = chat.turn?.id ?? null;
        if (ofOneTurn || next === turnId) {
          progress.since = log.span().newest;
          const currentEvents = ofOneTurn ? [] : [...listOwnerEvents(), toQueueEvent(chat)];
          return { events: [...events, ...currentEvents], isWhole: true };
        }
        // Another turn has started since the earlier parts.
        Object.assign(progress, begin(next));
      }
      return { events, isWhole: true };
    },
  };
}
