// How far each turn's link has come: the last event that is safe here, and when it came.
import { eq } from "drizzle-orm";
import type { DrizzleSqliteDODatabase } from "drizzle-orm/durable-sqlite";
import { links } from "./tables/conversation.ts";

export interface LinkCursors {
  /** 0 for a turn of which nothing has come. */
  of(turnId: string): number;
  move(turnId: string, seq: number, now: number): void;
  /** Null when nothing ever came. */
  lastEventAt(turnId: string): number | null;
}

/** Opens the cursors of an object. */
export function openLinkCursors(db: DrizzleSqliteDODatabase): LinkCursors {
  const find = (turnId: string) => db.select().from(links).where(eq(links.turnId, turnId)).get();
  return {
    of: (turnId) => find(turnId)?.seq ?? 0,
    move(turnId, seq, now) {
      db.insert(links)
        .values({ turnId, seq, lastEventAt: now })
        .onConflictDoUpdate({ target: links.turnId, set: { seq, lastEventAt: now } })
        .run();
    },
    lastEventAt: (turnId) => find(turnId)?.lastEventAt ?? null,
  };
}
