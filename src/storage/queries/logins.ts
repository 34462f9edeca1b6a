// The sealed credentials of logins. The sealed text of tokens says which ones they are: it is another one after each refresh.
import { and, eq } from "drizzle-orm";
import type { LoginName } from "../../rules/model/login.ts";
import { openD1 } from "../database.ts";
import { workspaceCredentials } from "../tables/logins.ts";

export type SealedCredential = Pick<
  typeof workspaceCredentials.$inferSelect,
  "kind" | "sealed" | "expiresAt" | "needsReauth"
>;

/** The sealed credential of a login; null where nobody holds it. */
export async function findCredential(database: D1Database, name: LoginName): Promise<SealedCredential | null> {
  const { kind, sealed, expiresAt, needsReauth } = workspaceCredentials;
  const found = await openD1(database)
    .select({ kind, sealed, expiresAt, needsReauth })
    .from(workspaceCredentials)
    .where(named(name))
    .get();
  return found ?? null;
}

/** Puts new tokens, or the mark that there are no more, in the place of what was read; does nothing when something else stands there by now. */
export async function replaceCredential(
  database: D1Database,
  name: LoginName,
  read: Pick<SealedCredential, "sealed">,
  changes: Partial<Pick<SealedCredential, "sealed" | "expiresAt" | "needsReauth">>,
): Promise<void> {
  await openD1(database)
    .update(workspaceCredentials)
    .set(changes)
    .where(and(named(name), eq(workspaceCredentials.sealed, read.sealed)));
}

/** The table has one row for each workspace and provider. */
function named({ owner, provider }: LoginName) {
  return and(eq(workspaceCredentials.workspaceId, owner.id), eq(workspaceCredentials.provider, provider));
}
