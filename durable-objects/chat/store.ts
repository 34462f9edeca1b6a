// The storage of a chat: loads the state for its rules, and writes the changes of a decision. The
// single fields of a chat are stored in the record of its owner.
import { and, asc, desc, eq, getTableColumns, lt, max, sql } from "drizzle-orm";
import type { DrizzleSqliteDODatabase } from "drizzle-orm/durable-sqlite";
import type { ChatState } from "../../src/chat/rules/chat.ts";
import type { Turn } from "../../src/chat/rules/turn.ts";
import type { Conversation } from "./conversation.ts";
import { createModelCalls, type ModelCalls } from "./model-calls.ts";
import { blocks, leftUpNext, links, messages, modelCalls, steers, turns, upNext } from "./tables.ts";

/** The fields of a chat that are stored in its owner's record. */
export type ChatRecord = Pick<ChatState, "model" | "conversationId" | "clearedAt" | "pause">;

/** The columns of these fields in the row of its owner. */
interface ChatRow extends Omit<ChatRecord, "pause"> {
  pauseReason: NonNullable<ChatRecord["pause"]>["reason"] | null;
  pausedAt: number | null;
}

/** Splits the row of an owner into its own record and the fields of its chat. */
export function splitChatRow<Row extends ChatRow>(row: Row): { record: Omit<Row, keyof ChatRow>; chat: ChatRecord } {
  const { pauseReason, pausedAt, model, conversationId, clearedAt, ...record } = row;
  const pause = pauseReason === null || pausedAt === null ? null : { reason: pauseReason, pausedAt };
  return { record, chat: { model, conversationId, clearedAt, pause } };
}

/** The columns of a chat in the row of its owner. */
export function toChatRow({ model, conversationId, clearedAt, pause }: ChatState): ChatRow {
  return { model, conversationId, clearedAt, pauseReason: pause?.reason ?? null, pausedAt: pause?.pausedAt ?? null };
}

/**
 * The tables of a chat. The event log is not among them: the deletion event clears it, and is the
 * only event that stays.
 */
export const chatTables = [turns, upNext, steers, leftUpNext, messages, blocks, links, modelCalls];

export interface ChatStore {
  load(record: ChatRecord): ChatState;
  /** Writes the changes of a decision, except those in the owner's record. */
  save(before: ChatState | null, after: ChatState): void;
  hasLeft: QueueStore["hasLeft"];
  /** True if an earlier turn has started the same conversation with the agent. */
  hasStartedConversation(turn: Turn): boolean;
  turn(turnId: string): Turn | null;
  /** Writes a turn that has ended. */
  saveTurn(turn: Turn): void;
  turnNumbered(number: number): Turn | null;
  /** Turns without their results, the newest first. */
  turns(page: number, pageSize: number): { turns: Turn[]; total: number };
  calls: ModelCalls;
}

/** Creates the storage of a chat. */
export function createChatStore(db: DrizzleSqliteDODatabase, conversation: Conversation): ChatStore {
  const waiting = createQueueStore(db);

  /**
   * Writes only the changed columns. Setting a column rewrites all of its indexes, even if its
   * value stays the same.
   */
  function saveTurn(turn: Turn, stored: Turn | null): void {
    if (stored === null) {
      return void db.insert(turns).values(turn).onConflictDoUpdate({ target: turns.id, set: turn }).run();
    }
    const names = Object.keys(turn) as (keyof Turn)[];
    const changed = names.filter((name) => JSON.stringify(stored[name]) !== JSON.stringify(turn[name]));
    if (changed.length === 0) return;
    const values = Object.fromEntries(changed.map((name) => [name, turn[name]]));
    db.update(turns).set(values).where(eq(turns.id, turn.id)).run();
  }

  const named = db
    .select()
    .from(turns)
    .where(eq(turns.id, sql.placeholder("turnId")))
    .prepare();
  const find = (turnId: string) => named.get({ turnId }) ?? null;
  return {
    load({ model, conversationId, clearedAt, pause }) {
      return {
        turn: db.select().from(turns).orderBy(desc(turns.number)).limit(1).get() ?? null,
        ...waiting.load(),
        ...{ model, conversationId, clearedAt, pause },
        endedTurn: null,
        newMessages: [],
      };
    },
    save(before, after) {
      // The ended turn is written first, because a unique index allows only one unfinished turn.
      for (const turn of [after.endedTurn, after.turn]) {
        if (turn === null || turn === before?.turn) continue;
        saveTurn(turn, before?.turn?.id === turn.id ? before.turn : null);
      }
      waiting.save(before, after);
      for (const message of after.newMessages) conversation.append(message);
    },
    hasLeft: waiting.hasLeft,
    hasStartedConversation({ conversationId, number }) {
      const sameConversation = and(eq(turns.conversationId, conversationId), lt(turns.number, number));
      return db.select({ id: turns.id }).from(turns).where(sameConversation).limit(1).get() !== undefined;
    },
    turn: find,
    saveTurn: (turn) => saveTurn(turn, find(turn.id)),
    calls: createModelCalls(db),
    turnNumbered(number) {
      return db.select().from(turns).where(eq(turns.number, number)).get() ?? null;
    },
    turns(page, pageSize) {
      // One result may be large, so a page has none.
      const { result: _, resultSchema: __, ...columns } = getTableColumns(turns);
      const listed = db
        .select(columns)
        .from(turns)
        .orderBy(desc(turns.number))
        .limit(pageSize)
        .offset((page - 1) * pageSize)
        .all();
      // Turns are numbered without gaps, so the newest number is the total.
      return {
        turns: listed.map((turn) => ({ ...turn, result: null, resultSchema: null })),
        total:
          db
            .select({ total: max(turns.number) })
            .from(turns)
            .get()?.total ?? 0,
      };
    },
  };
}

/** True if the owner's record of the chat has changed. */
export function isRecordChanged(before: ChatState | undefined, after: ChatState): boolean {
  return (
    before?.pause !== after.pause ||
    before?.model !== after.model ||
    before?.conversationId !== after.conversationId ||
    before?.clearedAt !== after.clearedAt
  );
}

type Waiting = Pick<ChatState, "upNext" | "steers">;

/**
 * The storage of Up next: the waiting messages, the steers of the running turn, and the ids of
 * messages that have left.
 */
export interface QueueStore {
  load(): Waiting;
  save(before: Waiting | null, after: Waiting): void;
  /** True for a message that has left Up next. */
  hasLeft(messageId: string): boolean;
}

/** Creates the storage of Up next. */
function createQueueStore(db: DrizzleSqliteDODatabase): QueueStore {
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
      const stay = new Set(listMessageIds(after));
      for (const id of before ? listMessageIds(before) : []) {
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

function listMessageIds({ upNext, steers }: Waiting): string[] {
  return [...upNext.map(({ id }) => id), ...steers.map(({ message }) => message.id)];
}
