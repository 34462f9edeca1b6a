// The session object's storage: loads the state for the rules, and writes what a decision changed.

import { asc, count, eq, lte } from "drizzle-orm";
import type { DrizzleSqliteDODatabase } from "drizzle-orm/durable-sqlite";
import type { HappenedEvent } from "../../src/activity/rules/activity.ts";
import { toSettledChat } from "../../src/chat/rules/chat.ts";
import { listUnresolved, type ReviewComment } from "../../src/checkout/rules/review-comment.ts";
import { createId } from "../../src/lib/ids.ts";
import {
  type BranchHeads,
  type BranchMove,
  getHeadsAfter,
  noHeads,
  recordAttempt,
} from "../../src/session/rules/branch.ts";
import type { SessionState } from "../../src/session/rules/session.ts";
import { type ChatStore, chatTables, isRecordChanged, splitChatRow, toChatRow } from "../chat/store.ts";
import { createCachedState } from "../object/cached-state.ts";
import { branchHeads, eventsOnce, filings, reviewComments, session } from "./tables.ts";

/**
 * The tables that are cleared with the session. The outbox stays, because it holds effects of the
 * session's end. The results of requests stay for another day.
 */
const ofSession = [session, ...chatTables, reviewComments, branchHeads, eventsOnce, filings];

export interface SessionStore {
  /** Null for a session that does not exist. */
  find(): SessionState | null;
  /** Discards the cached state after a transaction was rolled back. */
  invalidate(): void;
  /** Deletes the session if `after` is null. */
  save(before: SessionState | null, after: SessionState | null): void;
}

/** Creates the storage of a session. */
export function createSessionStore(db: DrizzleSqliteDODatabase, chats: ChatStore): SessionStore {
  const cached = createCachedState(() => {
    const row = db.select().from(session).get();
    if (!row) return null;
    const { record, chat } = splitChatRow(row);
    return { session: record, chat: chats.load(chat) };
  });

  return {
    find: cached.find,
    invalidate: cached.invalidate,
    save(before, after) {
      cached.invalidate();
      if (after === null) {
        for (const table of ofSession) db.delete(table).run();
        return;
      }
      const { chat } = after;
      chats.save(before?.chat ?? null, chat);
      if (before?.session !== after.session || isRecordChanged(before?.chat, chat)) {
        const row = { ...after.session, ...toChatRow(chat) };
        db.insert(session).values(row).onConflictDoUpdate({ target: session.id, set: row }).run();
      }
      cached.set({ session: after.session, chat: toSettledChat(chat) });
    },
  };
}

/** The storage of the commits at which a session's branch has been. */
export interface BranchHeadStore {
  /** The known heads. A move by the session's own push is recorded first. */
  read(moved: BranchMove | null): BranchHeads;
  /** Records a push that is about to be forwarded. Returns the known heads. */
  attempt(move: BranchMove): BranchHeads;
}

export function createBranchHeads(db: DrizzleSqliteDODatabase): BranchHeadStore {
  const { own, others, attempts } = branchHeads;
  const load = (): BranchHeads => db.select({ own, others, attempts }).from(branchHeads).get() ?? noHeads;
  function save(heads: BranchHeads): BranchHeads {
    const kept = { own: [...heads.own], others: heads.others, attempts: [...heads.attempts] };
    db.insert(branchHeads)
      .values({ id: 1, ...kept })
      .onConflictDoUpdate({ target: branchHeads.id, set: kept })
      .run();
    return heads;
  }
  return {
    read: (moved) => (moved ? save(getHeadsAfter(load(), moved)) : load()),
    attempt: (move) => save(recordAttempt(load(), move)),
  };
}

/** Longer than the day in which an event counts once. */
const rememberedMs = 48 * 3_600_000;

/** An event with its id. */
export type TakenEvent = HappenedEvent & { id: string };

/**
 * The events of a session on their way to the feed and to people. An event gets its id here, in the
 * transaction of its decision, so that it is one event however often it is written.
 */
export interface RecordedEvents {
  /** Returns the events that count. Leaves out those that count once and were already taken. */
  take(events: HappenedEvent[], now: number): TakenEvent[];
}

export function createRecordedEvents(db: DrizzleSqliteDODatabase): RecordedEvents {
  function isFirst(once: string, now: number): boolean {
    const added = db.insert(eventsOnce).values({ once, at: now }).onConflictDoNothing().returning().get();
    if (added)
      db.delete(eventsOnce)
        .where(lte(eventsOnce.at, now - rememberedMs))
        .run();
    return added !== undefined;
  }
  return {
    take: (events, now) =>
      events
        .filter(({ once }) => once === null || isFirst(once, now))
        .map((event) => ({ id: createId(now), ...event, once: event.once && `${event.sessionId} ${event.once}` })),
  };
}

/** The storage of a session's review comments. */
export interface ReviewComments {
  /** Oldest comment first. */
  list(): ReviewComment[];
  count(): number;
  find(id: string): ReviewComment | null;
  /** Stores a new or changed comment. */
  save(comment: ReviewComment): void;
  remove(id: string): void;
  /** The unresolved comments among these ids, in the order of the ids. */
  unresolved(ids: readonly string[]): ReviewComment[];
}

export function createReviewComments(db: DrizzleSqliteDODatabase): ReviewComments {
  const find = (id: string) => db.select().from(reviewComments).where(eq(reviewComments.id, id)).get() ?? null;
  return {
    list: () => db.select().from(reviewComments).orderBy(asc(reviewComments.createdAt), asc(reviewComments.id)).all(),
    count: () => db.select({ all: count() }).from(reviewComments).get()?.all ?? 0,
    find,
    save(comment) {
      db.insert(reviewComments).values(comment).onConflictDoUpdate({ target: reviewComments.id, set: comment }).run();
    },
    remove: (id) => void db.delete(reviewComments).where(eq(reviewComments.id, id)).run(),
    unresolved(ids) {
      return listUnresolved(ids.flatMap((id) => find(id) ?? []));
    },
  };
}
