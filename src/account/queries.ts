// Queries of users, who are created by their first sign-in, and of their accounts at the code host.
import { and, eq, getTableColumns, ne, or, sql } from "drizzle-orm";
import { createName } from "../lib/ids.ts";
import { toDrizzle } from "../storage/database.ts";
import type { Profile, ProfileChanges } from "./rules/profile.ts";
import { codeHostIdentities, users } from "./tables.ts";

const idCharacters = 20;

/** The id of the user with an email address; null if nobody has it. */
export async function findUserByEmail(database: D1Database, email: string): Promise<string | null> {
  const found = await toDrizzle(database).select({ id: users.id }).from(users).where(eq(users.email, email)).get();
  return found?.id ?? null;
}

/** Creates a user and returns the id. Returns the existing user's id if the address is known. */
export async function createUser(
  database: D1Database,
  { name, email, imageUrl }: Pick<typeof users.$inferInsert, "name" | "email" | "imageUrl">,
  now: number,
): Promise<string> {
  const id = `usr_${createName(idCharacters)}`;
  await toDrizzle(database).insert(users).values({ id, name, email, imageUrl, createdAt: now }).onConflictDoNothing();
  return (await findUserByEmail(database, email)) ?? id;
}

/**
 * True if the commits of the user's turns are pushed automatically: the Commits preference, which
 * is Automatic by default.
 */
export async function hasAutomaticCommits(database: D1Database, userId: string | null): Promise<boolean> {
  if (userId === null) return true;
  const found = await toDrizzle(database)
    .select({ autoCommit: users.autoCommit })
    .from(users)
    .where(eq(users.id, userId))
    .get();
  return found?.autoCommit ?? true;
}

/** The query for the style in which an agent replies to a user; no row if there is no user. */
export function findReplyStyle(database: D1Database, userId: string | null) {
  return toDrizzle(database)
    .select({ replyStyle: users.replyStyle })
    .from(users)
    .where(eq(users.id, userId ?? ""));
}

/** The profile of a user; null for an unknown user. */
export async function findProfile(database: D1Database, userId: string): Promise<Profile | null> {
  const { suspendedAt: _, deletedAt: __, notificationsOff: ___, ...columns } = getTableColumns(users);
  return (await toDrizzle(database).select(columns).from(users).where(eq(users.id, userId)).get()) ?? null;
}

/** Changes a user's profile. False if it is like that already. */
export async function updateProfile(
  database: D1Database,
  userId: string,
  changes: ProfileChanges & { onboardingCompleted?: boolean },
): Promise<boolean> {
  if (Object.keys(changes).length === 0) return false;
  const differences = Object.entries(changes).map(([name, value]) => ne(users[name as keyof typeof changes], value));
  const { meta } = await toDrizzle(database)
    .update(users)
    .set(changes)
    .where(and(eq(users.id, userId), or(...differences)))
    .run();
  return meta.changes > 0;
}

/** The users' accounts at the code host, which they have connected or signed in with. */
export type IdentityRow = typeof codeHostIdentities.$inferSelect;

/** A user's login at the code host, and the author of their commits. */
export type CodeHostIdentity = Pick<IdentityRow, "login" | "name" | "email">;

/** The identity of a user; null if they have connected no account. */
export async function findCodeHostIdentity(database: D1Database, userId: string): Promise<CodeHostIdentity | null> {
  const found = await findIdentity(database, userId);
  return found && { login: found.login, name: found.name, email: found.email };
}

/** The whole row of a user's account, with its sealed tokens; null if they have connected none. */
export async function findIdentity(database: D1Database, userId: string): Promise<IdentityRow | null> {
  const found = await toDrizzle(database)
    .select()
    .from(codeHostIdentities)
    .where(eq(codeHostIdentities.userId, userId))
    .get();
  return found ?? null;
}

/** The id of the user who connected an account; null if nobody has. */
export async function findUserByIdentity(database: D1Database, hostUserId: string): Promise<string | null> {
  const found = await toDrizzle(database)
    .select({ userId: codeHostIdentities.userId })
    .from(codeHostIdentities)
    .where(eq(codeHostIdentities.hostUserId, hostUserId))
    .get();
  return found?.userId ?? null;
}

/** The id of the user whose account has this login, in any case; null if there is none. */
export async function findUserByLogin(database: D1Database, login: string): Promise<string | null> {
  const found = await toDrizzle(database)
    .select({ userId: codeHostIdentities.userId })
    .from(codeHostIdentities)
    .where(eq(sql`lower(${codeHostIdentities.login})`, login.toLowerCase()))
    .get();
  return found?.userId ?? null;
}

/**
 * Stores the account of a user, and replaces an earlier one. False if the account is connected to
 * another user.
 */
export async function saveIdentity(database: D1Database, row: IdentityRow): Promise<boolean> {
  const { userId: _, createdAt: __, ...changes } = row;
  try {
    await toDrizzle(database)
      .insert(codeHostIdentities)
      .values(row)
      .onConflictDoUpdate({ target: codeHostIdentities.userId, set: changes });
    return true;
  } catch (error) {
    // The unique index refuses the second of two users who connect one account at the same time.
    const holder = await findUserByIdentity(database, row.hostUserId);
    if (holder !== null && holder !== row.userId) return false;
    throw error;
  }
}

/** Deletes the account of a user. Idempotent. */
export async function deleteIdentity(database: D1Database, userId: string): Promise<void> {
  await toDrizzle(database).delete(codeHostIdentities).where(eq(codeHostIdentities.userId, userId));
}

/**
 * Replaces the tokens that were read with resealed or renewed ones. False if they have changed
 * meanwhile, and stay. Without `expiresAt`, the time stays.
 */
export async function updateSealedTokens(
  database: D1Database,
  { userId, from, to, expiresAt }: { userId: string; from: string; to: string; expiresAt?: number | null },
): Promise<boolean> {
  const { meta } = await toDrizzle(database)
    .update(codeHostIdentities)
    .set({ sealed: to, expiresAt })
    .where(and(eq(codeHostIdentities.userId, userId), eq(codeHostIdentities.sealed, from)))
    .run();
  return meta.changes > 0;
}
