// Who users are at the code host: the accounts that they connected or signed in with.
import { eq } from "drizzle-orm";
import { openD1 } from "../database.ts";
import { codeHostIdentities } from "../tables/people.ts";

export type IdentityRow = typeof codeHostIdentities.$inferSelect;

/** Who somebody is at the code host, and in the commits that are theirs. */
export type CodeHostIdentity = Pick<IdentityRow, "login" | "name" | "email">;

/** Who a user is at the code host; null for one who has not connected an account. */
export async function codeHostIdentityOf(database: D1Database, userId: string): Promise<CodeHostIdentity | null> {
  const found = await findIdentity(database, userId);
  return found && { login: found.login, name: found.name, email: found.email };
}

/** The whole row of a user's account, its sealed tokens included; null where there is none. */
export async function findIdentity(database: D1Database, userId: string): Promise<IdentityRow | null> {
  const found = await openD1(database)
    .select()
    .from(codeHostIdentities)
    .where(eq(codeHostIdentities.userId, userId))
    .get();
  return found ?? null;
}

/** The user whose account this is; null for an account that nobody connected. */
export async function userOfIdentity(database: D1Database, hostUserId: string): Promise<string | null> {
  const found = await openD1(database)
    .select({ userId: codeHostIdentities.userId })
    .from(codeHostIdentities)
    .where(eq(codeHostIdentities.hostUserId, hostUserId))
    .get();
  return found?.userId ?? null;
}

/** Keeps whose account this is, in the place of another one of the same user. False when it is another user's. */
export async function keepIdentity(database: D1Database, row: IdentityRow): Promise<boolean> {
  const { userId: _, createdAt: __, ...changes } = row;
  try {
    await openD1(database)
      .insert(codeHostIdentities)
      .values(row)
      .onConflictDoUpdate({ target: codeHostIdentities.userId, set: changes });
    return true;
  } catch (error) {
    // Two users may connect one account in the same moment.
    const holder = await userOfIdentity(database, row.hostUserId);
    if (holder !== null && holder !== row.userId) return false;
    throw error;
  }
}

/** Forgets the account of a user. Safe to repeat. */
export async function forgetIdentity(database: D1Database, userId: string): Promise<void> {
  await openD1(database).delete(codeHostIdentities).where(eq(codeHostIdentities.userId, userId));
}
