// How far each turn's link has come: the last event that is safe here, and when the turn last gave a sign of life.
import { eq, sql } from "drizzle-orm";
import type { DrizzleSqliteDODatabase } from "drizzle-orm/durable-sqlite";
import { links } from "./tables/conversation.ts";

export interface LinkCursor {
  /** The last event that is safe here. */
  seq: number;
  /** What the events have taken together. */
  bytes: number;
}

export interface LinkCursors {
  /** Of a turn of which nothing has come, 0 and 0. */
  of(turnId: string): LinkCursor;
  move(turnId: string, to: LinkCursor, now: number): void;
  /** Notes a sign of life that is no event: a link that was dialled, or the last heartbeat on it. */
  noteSign(turnId: string, at: number): void;
  /** Null when nothing ever came. */
  lastSignAt(turnId: string): number | null;
}

/** Opens the cursors of an object. */
export function openLinkCursors(db: DrizzleSqliteDODatabase): LinkCursors {
  const find = (turnId: string) => db.select().from(links).where(eq(links.turnId, turnId)).get();
  return {
    of: (turnId) => find(turnId) ?? { seq: 0, bytes: 0 },
    move(turnId, { seq, bytes }, now) {
      const moved = { seq, bytes, lastEventAt: now };
      db.insert(links)
        .values({ turnId, ...moved })
        .onConflictDoUpdate({ target: links.turnId, set: moved })
        .run();
    },
    noteSign(turnId, at) {
      db.insert(links)
        .values({ turnId, seq: 0, lastEventAt: at })
        .onConflictDoUpdate({ target: links.turnId, set: { lastEventAt: sql`max(${links.lastEventAt}, ${at})` } })
        .run();
    },
    lastSignAt: (turnId) => find(turnId)?.lastEventAt ?? null,
  };
}
