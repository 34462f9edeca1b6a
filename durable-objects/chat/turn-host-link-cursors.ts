// The cursor of each turn's link: the last event that is stored, and the turn's last sign of life. An event that changes the newest block stores
// the cursor in the block's row, which is written anyway. Any other event stores it in a row of its own. The newer of the two rows counts.
import { desc, eq, lt } from "drizzle-orm";
import type { DrizzleSqliteDODatabase } from "drizzle-orm/durable-sqlite";
import { blocks, type LinkCursor, links } from "./tables.ts";

export interface LinkCursors {
  /** Of a turn of which nothing has come, 0 and 0. Changes of blocks from `newestPlace` on store the cursor. */
  of(turnId: string): { seq: number; bytes: number; newestPlace: number };
  /** Stores the cursor apart. */
  move(turnId: string, to: LinkCursor): void;
  /** Notes a sign of life other than an event: a link that was opened, or a heartbeat. An older one is not written. */
  noteSign(turnId: string, at: number): void;
  /** Null if there was none. */
  lastSignAt(turnId: string): number | null;
}

/** Opens the cursors of an object. */
export function openLinkCursors(db: DrizzleSqliteDODatabase): LinkCursors {
  const apart = (turnId: string) => db.select().from(links).where(eq(links.turnId, turnId)).get();

  function newestBlock(turnId: string) {
    const { place, cursor } = blocks;
    const ofTurn = eq(blocks.turnId, turnId);
    return db.select({ place, cursor }).from(blocks).where(ofTurn).orderBy(desc(place)).limit(1).get();
  }

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
    noteSign(turnId, at) {
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
