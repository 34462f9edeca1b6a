// Browser sessions: the keys of people who sign in with a browser. A person has at most
// `browserSessionsMax`, and a new one ends the oldest.
import { and, desc, eq, lte, notInArray } from "drizzle-orm";
import { browserSessionMs, browserSessionsMax } from "../../rules/limits.ts";
import { toDrizzle } from "../../storage/database.ts";
import { keys } from "../tables.ts";
import { createKey } from "./keys.ts";

/**
 * Issues the cookie value of a new browser session. In the same transaction, deletes the user's
 * expired sessions, and the oldest ones above the maximum. Null for an unknown user.
 */
export async function issueBrowserSession(database: D1Database, userId: string, now: number): Promise<string | null> {
  const user = await database.prepare("SELECT id FROM users WHERE id = ?1 AND deleted_at IS NULL").bind(userId).first();
  if (!user) return null;
  const grant = { kind: "browser", name: "browser", userId, expiresAt: now + browserSessionMs } as const;
  const { token, row } = await createKey(grant, now);
  const db = toDrizzle(database);
  const ofUser = and(eq(keys.userId, userId), eq(keys.kind, "browser"));
  const newest = db
    .select({ hash: keys.hash })
    .from(keys)
    .where(ofUser)
    .orderBy(desc(keys.createdAt), desc(keys.id))
    .limit(browserSessionsMax);
  await db.batch([
    db.delete(keys).where(and(ofUser, lte(keys.expiresAt, now))),
    db.insert(keys).values(row),
    db.delete(keys).where(and(ofUser, notInArray(keys.hash, newest))),
  ]);
  return token;
}
