// The parked effects of objects, for the operator. The objects own the effects.
import { index, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { parkingObjects } from "../rules/parking.ts";

export const parkedEffects = sqliteTable(
  "parked_effects",
  {
    object: text({ enum: parkingObjects }).notNull(),
    /** The name by which the object is addressed. */
    name: text().notNull(),
    key: text().notNull(),
    attempts: integer().notNull(),
    reason: text().notNull(),
    parkedAt: integer().notNull(),
  },
  (parked) => [
    primaryKey({ columns: [parked.object, parked.name, parked.key] }),
    index("parked_effects_by_time").on(parked.parkedAt),
  ],
);
