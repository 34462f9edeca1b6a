// The storage of a run: loads the state for its rules, and writes what a decision changed.
import { and, asc, eq, gt } from "drizzle-orm";
import type { DrizzleSqliteDODatabase } from "drizzle-orm/durable-sqlite";
import type { Block } from "../../src/chat/rules/block.ts";
import { toSettledChat } from "../../src/chat/rules/chat.ts";
import type { CronRunState } from "../../src/cron/rules/run.ts";
import { type ChatStore, chatTables } from "../chat/store.ts";
import { blocks } from "../chat/tables.ts";
import { createCachedState } from "../object/cached-state.ts";
import { createRunLog, type RunLog } from "./log.ts";
import { cronRun, logPieces } from "./tables.ts";

export interface CronRunStore {
  /** Null before the run starts, and after it is deleted. */
  find(): CronRunState | null;
  /** Discards the cached state after a transaction was rolled back. */
  invalidate(): void;
  /** Deletes the run if `after` is null. */
  save(before: CronRunState | null, after: CronRunState | null): void;
  /** The blocks of the agent's response, in order. */
  blocks(turnId: string): Generator<Block>;
  log: RunLog;
}

const blocksPerPage = 64;

/** Creates the storage of a run. */
export function createCronRunStore(db: DrizzleSqliteDODatabase, chats: ChatStore): CronRunStore {
  const cached = createCachedState<CronRunState>(() => {
    const row = db.select().from(cronRun).get();
    if (!row) return null;
    const { record: run } = row;
    const ofChat = { model: run.model, conversationId: run.id, clearedAt: null, pause: null };
    return { run, chat: chats.load(ofChat) };
  });

  return {
    log: createRunLog(db),
    find: cached.find,
    invalidate: cached.invalidate,
    save(before, after) {
      cached.invalidate();
      if (after === null) {
        for (const table of [cronRun, logPieces, ...chatTables]) db.delete(table).run();
        return;
      }
      chats.save(before?.chat ?? null, after.chat);
      const row = { id: after.run.id, record: after.run };
      if (before?.run !== after.run)
        db.insert(cronRun).values(row).onConflictDoUpdate({ target: cronRun.id, set: row }).run();
      cached.set({ run: after.run, chat: toSettledChat(after.chat) });
    },
    *blocks(turnId) {
      for (let place = -1; ; ) {
        const rows = db
          .select({ place: blocks.place, block: blocks.block })
          .from(blocks)
          .where(and(eq(blocks.turnId, turnId), gt(blocks.place, place)))
          .orderBy(asc(blocks.place))
          .limit(blocksPerPage)
          .all();
        for (const row of rows) yield row.block;
        if (rows.length < blocksPerPage) return;
        place = rows.at(-1)?.place ?? place;
      }
    },
  };
}
