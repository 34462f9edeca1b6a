// The session object's storage: loads the state for the rules, and writes what a decision changed.
import type { DrizzleSqliteDODatabase } from "drizzle-orm/durable-sqlite";
import { settledChat } from "../../src/chat/rules/chat.ts";
import type { SessionState } from "../../src/session/rules/session.ts";
import { type ChatStore, chatTables, isRecordChanged } from "../chat/store.ts";
import { branchHeads, eventsOnce, filings, reviewComments, session } from "./tables-session.ts";

/** The tables that are cleared with the session. The outbox still holds effects of its end, and the answers outlive it by a day. */
const ofSession = [session, ...chatTables, reviewComments, branchHeads, eventsOnce, filings];

export interface SessionStore {
  /** Null for a session that does not exist. */
  find(): SessionState | null;
  /** Forgets what was loaded or saved: a transaction was rolled back. */
  invalidate(): void;
  /** With null the session is deleted. */
  save(before: SessionState | null, after: SessionState | null): void;
}

/** Opens the storage of a session. */
export function openSessionStore(db: DrizzleSqliteDODatabase, chats: ChatStore): SessionStore {
  /** A cache of the stored state. Undefined if it has to be read. */
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
    invalidate() {
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
