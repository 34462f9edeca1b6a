// The session object's storage: loads the state that the rules look at, and writes back what a decision changed.
import type { DrizzleSqliteDODatabase } from "drizzle-orm/durable-sqlite";
import { settledChat } from "../../src/rules/chat/chat.ts";
import type { SessionState } from "../../src/rules/session/session.ts";
import { type ChatStore, chatTables, isRecordChanged } from "../chat/store.ts";
import { branchHeads, reviewComments, session } from "./tables/session.ts";

/** What is kept for a session; what is still to be done about its end is not among it, nor are its answers, which outlive it by a day. */
const ofSession = [session, ...chatTables, reviewComments, branchHeads];

export interface SessionStore {
  /** Null for a session that was never begun, or was deleted. */
  find(): SessionState | null;
  /** What was saved may not have been kept: it is read anew. */
  doubt(): void;
  /** Null after a decision that deletes the session: nothing of it stays. */
  save(before: SessionState | null, after: SessionState | null): void;
}

/** Opens the storage of a session. */
export function openSessionStore(db: DrizzleSqliteDODatabase, chats: ChatStore): SessionStore {
  /** What is kept, as it was last loaded or saved: everything that changes it comes through here. Undefined when that is unknown. */
  let known: SessionState | null | undefined;

  function load(): SessionState | null {
    const row = db.select().from(session).get();
    if (!row) return null;
    const { pauseReason, pausedAt, model, conversationId, clearedAt, ...record } = row;
    const pause = pauseReason === null || pausedAt === null ? null : { reason: pauseReason, pausedAt };
    return { session: record, chat: chats.load({ model, conversationId, clearedAt, pause }) };
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
      const { chat } = after;
      chats.save(before?.chat ?? null, chat);
      if (before?.session !== after.session || isRecordChanged(before?.chat, chat)) {
        const { model, conversationId, clearedAt, pause } = chat;
        const paused = { pauseReason: pause?.reason ?? null, pausedAt: pause?.pausedAt ?? null };
        const row = { ...after.session, model, conversationId, clearedAt, ...paused };
        db.insert(session).values(row).onConflictDoUpdate({ target: session.id, set: row }).run();
      }
      known = { session: after.session, chat: settledChat(chat) };
    },
  };
}
