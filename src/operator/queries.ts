// The parked effects of objects, as listed for the operator.
import { and, asc, count, eq } from "drizzle-orm";
import { parkedListed } from "../rules/limits.ts";
import type { ParkingObject } from "../rules/parking.ts";
import { toDrizzle } from "../storage/database.ts";
import { parkedEffects } from "./tables.ts";

export type ParkedEffect = typeof parkedEffects.$inferSelect;

/** Records that an effect is parked. Idempotent: the time of the first record stays. */
export async function saveParked(
  database: D1Database,
  parked: Omit<ParkedEffect, "parkedAt">,
  now: number,
): Promise<void> {
  const { object, name, key } = parkedEffects;
  const { attempts, reason } = parked;
  await toDrizzle(database)
    .insert(parkedEffects)
    .values({ ...parked, parkedAt: now })
    .onConflictDoUpdate({ target: [object, name, key], set: { attempts, reason } });
}

/** Deletes the row of a parked effect; without a key, those of all effects of the object. */
export async function deleteParked(
  database: D1Database,
  object: ParkingObject,
  name: string,
  key?: string,
): Promise<void> {
  const ofObject = and(eq(parkedEffects.object, object), eq(parkedEffects.name, name));
  await toDrizzle(database)
    .delete(parkedEffects)
    .where(key === undefined ? ofObject : and(ofObject, eq(parkedEffects.key, key)));
}

/** The listed parked effects, the oldest first, and their total number. */
export async function listParked(database: D1Database): Promise<{ listed: ParkedEffect[]; count: number }> {
  const db = toDrizzle(database);
  const [listed, [counted]] = await db.batch([
    db.select().from(parkedEffects).orderBy(asc(parkedEffects.parkedAt)).limit(parkedListed),
    db.select({ parked: count() }).from(parkedEffects),
  ]);
  return { listed, count: counted?.parked ?? 0 };
}
