// A picture: how a session and its newest turn, or one turn, stand now, told as events. It takes the place of events that the log no longer
// holds. It is drawn a part at a time, and ends in one stretch with the log, so that what comes after it follows without gap or repeat.
import { and, asc, eq, gt, lt } from "drizzle-orm";
import type { DrizzleSqliteDODatabase } from "drizzle-orm/durable-sqlite";
import {
  blockEvent,
  endEvent,
  jobEvent,
  type LiveEvent,
  queueEvent,
  sessionEvent,
  spokenEvent,
} from "../../src/resources/live-event.ts";
import { isUnfinished, type Turn } from "../../src/rules/chat/turn.ts";
import type { SessionState } from "../../src/rules/session/session.ts";
import type { LiveEvents } from "./live-events.ts";
import { blocks, messages } from "./tables/conversation.ts";

/** How far a picture has been drawn. */
export interface PictureProgress {
  /** The turn that is drawn. */
  turnId: string | null;
  /** The last event that what is drawn so far is known to hold. */
  since: number;
  /** The last block drawn, and the last message whose turn it was. */
  place: number;
  messageSeq: number;
}

export interface PictureParts {
  log: LiveEvents;
  /** Null once the session is deleted. */
  find(): SessionState | null;
  turn(turnId: string): Turn | null;
  publicUrl: string;
}

export interface Pictures {
  begin(turnId: string | null): PictureProgress;
  /** Draws the next part and moves the progress. `isWhole` when the picture is done; it then holds all events up to `since`. */
  draw(progress: PictureProgress, ofOneTurn: boolean): { events: LiveEvent[]; isWhole: boolean };
}

const partBytes = 256 * 2 ** 10;
const pageBlocks = 16;

/** Opens the pictures of a session. */
export function openPictures(db: DrizzleSqliteDODatabase, { log, find, turn, publicUrl }: PictureParts): Pictures {
  const begin = (turnId: string | null) => ({ turnId, since: log.span().newest, place: -1, messageSeq: 0 });

  /** The user messages of a turn between two places in the conversation. */
  function spoken(state: SessionState, turnId: string, afterSeq: number, beforeSeq: number): LiveEvent[] {
    const between = and(gt(messages.seq, afterSeq), lt(messages.seq, beforeSeq));
    const ofUsers = and(eq(messages.turnId, turnId), eq(messages.role, "user"), between);
    const rows = db.select().from(messages).where(ofUsers).orderBy(asc(messages.seq)).all();
    return rows.flatMap(({ content, author, delivery, ...message }) =>
      author && delivery ? [spokenEvent(state.session, { ...message, content: content ?? "", author, delivery })] : [],
    );
  }

  /** Draws blocks, each behind the messages that came before it; true when there are no more of them. */
  function drawBlocks(events: LiveEvent[], state: SessionState, turnId: string, progress: PictureProgress): boolean {
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
        if (seq > progress.messageSeq) events.push(...spoken(state, turnId, progress.messageSeq, seq));
        events.push(blockEvent(turnId, messageId, place, block));
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
    draw(progress, ofOneTurn) {
      const events: LiveEvent[] = [];
      const state = find();
      while (state) {
        const { turnId } = progress;
        const drawn = turnId === null ? null : turn(turnId);
        if (turnId !== null && drawn) {
          if (!drawBlocks(events, state, turnId, progress)) return { events, isWhole: false };
          const { newest, oldest } = log.span();
          // What changed while the reader took the parts before is drawn anew, all of it when the log cannot tell.
          const changed = progress.since < oldest - 1 ? 0 : log.earliestChangedAfter(progress.since, turnId);
          progress.since = newest;
          if (changed !== null) {
            progress.place = changed - 1;
            continue;
          }
          events.push(...spoken(state, turnId, progress.messageSeq, Number.MAX_SAFE_INTEGER));
          events.push(jobEvent(drawn), ...(isUnfinished(drawn) ? [] : [endEvent(drawn)]));
        }
        const next = state.chat.turn?.id ?? null;
        if (ofOneTurn || next === turnId) {
          progress.since = log.span().newest;
          const standing = ofOneTurn ? [] : [sessionEvent(state, publicUrl), queueEvent(state.chat)];
          return { events: [...events, ...standing], isWhole: true };
        }
        // Another turn began while the reader took the parts before.
        Object.assign(progress, begin(next));
      }
      return { events, isWhole: true };
    },
  };
}
