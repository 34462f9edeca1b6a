// The storage of Up next: the waiting messages, the steers of the running turn, and the ids of messages that have left.
import { asc, eq } from "drizzle-orm";
import type { DrizzleSqliteDODatabase } from "drizzle-orm/durable-sqlite";
import type { ChatState } from "../../src/chat/rules/chat.ts";
import { leftUpNext, steers, upNext } from "./tables-up-next.ts";

type Waiting = Pick<ChatState, "upNext" | "steers">;

export interface UpNextStore {
  load(): Waiting;
  save(before: Waiting | null, after: Waiting): void;
  /** True for a message that has left Up next. */
  hasLeft(messageId: string): boolean;
}

/** Opens the storage of Up next. */
export function openUpNextStore(db: DrizzleSqliteDODatabase): UpNextStore {
  return {
    load() {
      const waiting = db.select().from(upNext).orderBy(asc(upNext.position)).all();
      const handed = db.select().from(steers).orderBy(asc(steers.position)).all();
      return {
        upNext: waiting.map(({ position: _, ...message }) => message),
        steers: handed.map(({ position: _, steerId, turnId, ...message }) => ({ steerId, turnId, message })),
      };
    },
    save(before, after) {
      if (before?.upNext === after.upNext && before.steers === after.steers) return;
      const stay = new Set(idsOf(after));
      for (const id of before ? idsOf(before) : []) {
        if (!stay.has(id)) db.insert(leftUpNext).values({ id }).onConflictDoNothing().run();
      }
      db.delete(upNext).run();
      for (const [position, message] of after.upNext.entries())
        db.insert(upNext)
          .values({ ...message, position })
          .run();
      db.delete(steers).run();
      for (const [position, { message, ...steer }] of after.steers.entries())
        db.insert(steers)
          .values({ ...message, ...steer, position })
          .run();
    },
    hasLeft(messageId) {
      return db.select().from(leftUpNext).where(eq(leftUpNext.id, messageId)).get() !== undefined;
    },
  };
}

function idsOf({ upNext, steers }: Waiting): string[] {
  return [...upNext.map(({ id }) => id), ...steers.map(({ message }) => message.id)];
}
