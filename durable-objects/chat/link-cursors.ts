// The cursor of each turn's link: the last event that is stored, and the turn's last sign of life.
import { eq, lt } from "drizzle-orm";
import type { DrizzleSqliteDODatabase } from "drizzle-orm/durable-sqlite";
import { links } from "./tables/conversation.ts";

export interface LinkCursor {
  /** The last event that is stored. */
  seq: number;
  /** What the events have taken together. */
  bytes: number;
}

export interface LinkCursors {
  /** Of a turn of which nothing has come, 0 and 0. */
  of(turnId: string): LinkCursor;
  move(turnId: string, to: LinkCursor, now: number): void;
  /** Notes a sign of life other than an event: a link that was opened, or a heartbeat. An older one is not written. */
  noteSign(turnId: string, at: number): void;
  /** Null if there was none. */
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
        .onConflictDoUpdate({ target: links.turnId, set: { lastEventAt: at }, setWhere: lt(links.lastEventAt, at) })
        .run();
    },
    lastSignAt: (turnId) => find(turnId)?.lastEventAt ?? null,
  };
}
