// The session object's storage: loads the state that the rules look at, and writes back what a decision changed.
import { and, desc, eq, lt, max } from "drizzle-orm";
import type { DrizzleSqliteDODatabase } from "drizzle-orm/durable-sqlite";
import type { Turn } from "../../src/rules/chat/turn.ts";
import type { SessionState } from "../../src/rules/session/session.ts";
import type { Conversation } from "../chat/conversation.ts";
import { openUpNextStore, type UpNextStore } from "../chat/up-next-store.ts";
import {
  blocks,
  branchHeads,
  leftUpNext,
  links,
  liveEvents,
  messages,
  reviewComments,
  session,
  steers,
  turns,
  upNext,
} from "./tables/session.ts";

/** What is kept for a session; what is still to be done about its end is not among it, nor are its answers, which outlive it by a day. */
const ofSession = [
  session,
  turns,
  upNext,
  steers,
  leftUpNext,
  messages,
  blocks,
  links,
  liveEvents,
  reviewComments,
  branchHeads,
];

export interface SessionStore {
  /** Null for a session that was never begun, or was deleted. */
  find(): SessionState | null;
  /** What was saved may not have been kept: it is read anew. */
  doubt(): void;
  /** Null after a decision that deletes the session: nothing of it stays. */
  save(before: SessionState | null, after: SessionState | null): void;
  hasLeft: UpNextStore["hasLeft"];
  /** True when a turn before this one began the same conversation of the agent. */
  hasBegunConversation(turn: Turn): boolean;
  turn(turnId: string): Turn | null;
  turnNumbered(number: number): Turn | null;
  /** Newest first. */
  turns(page: number, pageSize: number): { turns: Turn[]; total: number };
}

/** Opens the storage of a session. */
export function openSessionStore(db: DrizzleSqliteDODatabase, conversation: Conversation): SessionStore {
  const waiting = openUpNextStore(db);
  /** What is kept, as it was last loaded or saved: everything that changes it comes through here. Undefined when that is unknown. */
  let known: SessionState | null | undefined;

  function load(): SessionState | null {
    const row = db.select().from(session).get();
    if (!row) return null;
    const { pauseReason, pausedAt, ...record } = row;
    return {
      session: record,
      turn: db.select().from(turns).orderBy(desc(turns.number)).limit(1).get() ?? null,
      ...waiting.load(),
      pause: pauseReason === null || pausedAt === null ? null : { reason: pauseReason, pausedAt },
      endedTurn: null,
      spoken: [],
    };
  }

  return {
    find() {
      if (known === undefined) known = load();
      return known;
    },
    doubt() {
      known = undefined;
    },
    save(before, after) {
      known = undefined;
      if (after === null) {
        for (const table of ofSession) db.delete(table).run();
        return;
      }
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
      waiting.save(before, after);
      for (const message of after.spoken) conversation.speak(message);
      known = { ...after, endedTurn: null, spoken: [] };
    },
    hasLeft: waiting.hasLeft,
    hasBegunConversation({ conversationId, number }) {
      const sameConversation = and(eq(turns.conversationId, conversationId), lt(turns.number, number));
      return db.select({ id: turns.id }).from(turns).where(sameConversation).limit(1).get() !== undefined;
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
      // They are numbered without gaps.
      return {
        turns: listed,
        total:
          db
            .select({ total: max(turns.number) })
            .from(turns)
            .get()?.total ?? 0,
      };
    },
  };
}
