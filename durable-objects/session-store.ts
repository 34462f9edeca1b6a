// The session object's storage: loads the state that the rules look at, and writes back what a decision changed.
import { asc, count, desc, eq } from "drizzle-orm";
import type { DrizzleSqliteDODatabase } from "drizzle-orm/durable-sqlite";
import type { SessionState } from "../src/rules/session.ts";
import type { Turn } from "../src/rules/turn.ts";
import type { Conversation } from "./conversation.ts";
import { session, steers, turns, upNext } from "./tables/session.ts";

export interface SessionStore {
  /** Null for a session that was never begun, or was deleted. */
  find(): SessionState | null;
  save(before: SessionState | null, after: SessionState): void;
  turn(turnId: string): Turn | null;
  turnNumbered(number: number): Turn | null;
  /** Newest first. */
  turns(page: number, pageSize: number): { turns: Turn[]; total: number };
}

/** Opens the storage of a session. */
export function openSessionStore(db: DrizzleSqliteDODatabase, conversation: Conversation): SessionStore {
  return {
    find() {
      const row = db.select().from(session).get();
      if (!row) return null;
      const { pauseReason, pausedAt, ...record } = row;
      const waiting = db.select().from(upNext).orderBy(asc(upNext.position)).all();
      return {
        session: record,
        turn: db.select().from(turns).orderBy(desc(turns.number)).limit(1).get() ?? null,
        upNext: waiting.map(({ position: _, ...message }) => message),
        steers: db
          .select()
          .from(steers)
          .orderBy(asc(steers.position))
          .all()
          .map(({ position: _, steerId, turnId, ...message }) => ({ steerId, turnId, message })),
        pause: pauseReason === null || pausedAt === null ? null : { reason: pauseReason, pausedAt },
        endedTurn: null,
        spoken: [],
      };
    },
    save(before, after) {
      // The turn that ended goes first, for at no moment may two be unfinished.
      for (const turn of [after.endedTurn, after.turn]) {
        if (turn === null || turn === before?.turn) continue;
        db.insert(turns).values(turn).onConflictDoUpdate({ target: turns.id, set: turn }).run();
      }
      if (before?.session !== after.session || before.pause !== after.pause) {
        const row = {
          ...after.session,
          pauseReason: after.pause?.reason ?? null,
          pausedAt: after.pause?.pausedAt ?? null,
        };
        db.insert(session).values(row).onConflictDoUpdate({ target: session.id, set: row }).run();
      }
      if (before?.upNext !== after.upNext) {
        db.delete(upNext).run();
        for (const [position, message] of after.upNext.entries())
          db.insert(upNext)
            .values({ ...message, position })
            .run();
      }
      if (before?.steers !== after.steers) {
        db.delete(steers).run();
        for (const [position, { steerId, turnId, message }] of after.steers.entries())
          db.insert(steers)
            .values({ ...message, steerId, turnId, position })
            .run();
      }
      for (const message of after.spoken) conversation.speak(message);
    },
    turn(turnId) {
      return db.select().from(turns).where(eq(turns.id, turnId)).get() ?? null;
    },
    turnNumbered(number) {
      return db.select().from(turns).where(eq(turns.number, number)).get() ?? null;
    },
    turns(page, pageSize) {
      const listed = db
        .select()
        .from(turns)
        .orderBy(desc(turns.number))
        .limit(pageSize)
        .offset((page - 1) * pageSize)
        .all();
      return { turns: listed, total: db.select({ total: count() }).from(turns).get()?.total ?? 0 };
    },
  };
}
