// Where the branch of a session has stood.
import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core";

/** One row, once the session has pushed. */
export const branchHeads = sqliteTable("branch_heads", {
  id: integer().primaryKey(),
  own: text({ mode: "json" }).$type<string[]>().notNull(),
  others: text(),
});
