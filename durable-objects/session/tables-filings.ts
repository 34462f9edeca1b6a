// The sessions that the agent of a session has filed, each in its turn.
import { primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";

export const filings = sqliteTable("filings", { turnId: text().notNull(), filedId: text().notNull() }, (filing) => [
  primaryKey({ columns: [filing.turnId, filing.filedId] }),
]);
