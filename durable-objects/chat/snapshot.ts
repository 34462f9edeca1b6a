// A snapshot: how an owner, its chat and the newest turn, or one turn, stand now, told as events. It takes the place of events that the log no
// longer holds. It is read a part at a time, and ends in one stretch with the log, so that what comes after it follows without gap or repeat.
import { and, asc, eq, gt, lt } from "drizzle-orm";
import type { DrizzleSqliteDODatabase } from "drizzle-orm/durable-sqlite";
import type { ChatState } from "../../src/rules/chat/chat.ts";
import {
  type LiveEvent,
  messageEvent,
  type OwnerEvent,
  turnEndedEvent,
  turnEvent,
  upNextEvent,
} from "../../src/rules/chat/live-event.ts";
import { isUnfinished, type Turn } from "../../src/rules/chat/turn.ts";
import type { LiveEvents } from "./live-events.ts";
import { blocks, messages } from "./tables/conversation.ts";

/** How far a snapshot has been read. */
export interface SnapshotProgress {
  /** The turn that it shows. */
  turnId: string | null;
  /** The last event that what is read so far is known to hold. */
  since: number;
  /** The last block read, and the last message whose turn it was. */
  place: number;
  messageSeq: number;
}

export interface SnapshotParts {
  log: LiveEvents;
  /** Null once its owner is deleted. */
  find(): ChatState | null;
  /** How the owner stands. */
  ownerEvents(): OwnerEvent[];
  turn(turnId: string): Turn | null;
}

export interface Snapshots {
  begin(turnId: string | null): SnapshotProgress;
  /** Reads the next part and moves the progress. `isWhole` when the snapshot is done; it then holds all events up to `since`. */
  read(progress: SnapshotProgress, ofOneTurn: boolean): { events: LiveEvent[]; isWhole: boolean };
}

const partBytes = 256 * 2 ** 10;
const pageBlocks = 16;

/** Opens the snapshots of a chat. */
export function openSnapshots(db: DrizzleSqliteDODatabase, { log, find, ownerEvents, turn }: SnapshotParts): Snapshots {
  const begin = (turnId: string | null) => ({ turnId, since: log.span().newest, place: -1, messageSeq: 0 });

  /** The user messages of a turn between two places in the conversation. */
  function messagesOf(turnId: string, afterSeq: number, beforeSeq: number): LiveEvent[] {
    const between = and(gt(messages.seq, afterSeq), lt(messages.seq, beforeSeq));
    const ofUsers = and(eq(messages.turnId, turnId), eq(messages.role, "user"), between);
    const rows = db.select().from(messages).where(ofUsers).orderBy(asc(messages.seq)).all();
    return rows.flatMap(({ content, author, delivery, ...message }) =>
      author && delivery ? [messageEvent({ ...message, content: content ?? "", author, delivery })] : [],
    );
  }

  /** Reads blocks, each behind the messages that came before it; true when there are no more of them. */
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
        if (seq > progress.messageSeq) events.push(...messagesOf(turnId, progress.messageSeq, seq));
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
          // What changed while the subscriber took the parts before is read anew, all of it when the log cannot tell.
          const changed = progress.since < oldest - 1 ? 0 : log.earliestChangedAfter(progress.since, turnId);
          progress.since = newest;
          if (changed !== null) {
            progress.place = changed - 1;
            continue;
          }
          events.push(...messagesOf(turnId, progress.messageSeq, Number.MAX_SAFE_INTEGER));
          events.push(turnEvent(shown), ...(isUnfinished(shown) ? [] : [turnEndedEvent(shown)]));
        }
        const next = chat.turn?.id ?? null;
        if (ofOneTurn || next === turnId) {
          progress.since = log.span().newest;
          const standing = ofOneTurn ? [] : [...ownerEvents(), upNextEvent(chat)];
          return { events: [...events, ...standing], isWhole: true };
        }
        // Another turn began while the subscriber took the parts before.
        Object.assign(progress, begin(next));
      }
      return { events, isWhole: true };
    },
  };
}
