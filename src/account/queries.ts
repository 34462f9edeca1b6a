// Users, who are created by their first sign-in.
import { eq } from "drizzle-orm";
import { newName } from "../ids.ts";
import { openD1 } from "../storage/database.ts";
import type { Profile, ProfileChanges } from "./rules/profile.ts";
import { users } from "./tables.ts";

const idCharacters = 20;

/** The id of the user with an email address; null if nobody has it. */
export async function userWithEmail(database: D1Database, email: string): Promise<string | null> {
  const found = await openD1(database).select({ id: users.id }).from(users).where(eq(users.email, email)).get();
  return found?.id ?? null;
}

/** Creates a user and returns the id. Returns the existing user's id if the address is known. */
export async function createUser(
  database: D1Database,
  { name, email, imageUrl }: Pick<typeof users.$inferInsert, "name" | "email" | "imageUrl">,
  now: number,
): Promise<string> {
  const id = `usr_${newName(idCharacters)}`;
  await openD1(database).insert(users).values({ id, name, email, imageUrl, createdAt: now }).onConflictDoNothing();
  return (await userWithEmail(database, email)) ?? id;
}

/** True if the commits of the user's turns are pushed automatically: the Commits preference, which is Automatic by default. */
export async function commitsAutomatically(database: D1Database, userId: string | null): Promise<boolean> {
  if (userId === null) return true;
  const found = await openD1(database)
    .select({ autoCommit: users.autoCommit })
    .from(users)
    .where(eq(users.id, userId))
    .get();
  return found?.autoCommit ?? true;
}

/** The query that answers in which style an agent replies to a user; no row for nobody. */
export function replyStyleOf(database: D1Database, userId: string | null) {
  return openD1(database)
    .select({ replyStyle: users.replyStyle })
    .from(users)
    .where(eq(users.id, userId ?? ""));
}

/** The profile of a user; null for an unknown one. */
export async function findProfile(database: D1Database, userId: string): Promise<Profile | null> {
  return (await openD1(database).select().from(users).where(eq(users.id, userId)).get()) ?? null;
}

/** Changes a user's profile. */
export async function changeProfile(
  database: D1Database,
  userId: string,
  changes: ProfileChanges & { onboardingCompleted?: boolean },
): Promise<void> {
  if (Object.keys(changes).length === 0) return;
  await openD1(database).update(users).set(changes).where(eq(users.id, userId)).run();
}
