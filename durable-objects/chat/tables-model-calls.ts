// The model calls of a chat that were answered, with what each used.
import { index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import type { Payer } from "../../src/provider-login/rules/payer.ts";

export const modelCalls = sqliteTable(
  "model_calls",
  {
    /** Drawn by who made the call, so that none is counted twice. */
    id: text().primaryKey(),
    /** The turn or the runtime command that made it, or a piece of work of its own. */
    workId: text().notNull(),
    /** The member for whom work that is no turn was done. */
    memberId: text(),
    model: text(),
    payer: text({ mode: "json" }).$type<Payer>().notNull(),
    inputTokens: integer().notNull(),
    cachedTokens: integer().notNull(),
    outputTokens: integer().notNull(),
    /** Null on a subscription. */
    nanoUsd: integer(),
    at: integer().notNull(),
    /** What all calls up to this one cost; null where an earlier version counted the call. */
    spentNanoUsd: integer(),
  },
  (call) => [index("model_calls_by_work").on(call.workId)],
);
