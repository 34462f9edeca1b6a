// Sealed credentials of workspaces. The sealed text of a login says which one it is: it is another one after each refresh.
import { and, eq } from "drizzle-orm";
import type { ProviderId } from "../../rules/model/provider.ts";
import { openD1 } from "../database.ts";
import { workspaceCredentials } from "../tables/credentials.ts";

/** Which credential is meant: a workspace holds one for each provider. */
export interface CredentialName {
  workspaceId: string;
  provider: ProviderId;
}

export type SealedCredential = Pick<
  typeof workspaceCredentials.$inferSelect,
  "kind" | "sealed" | "expiresAt" | "needsReauth"
>;

/** The sealed credential of a workspace for a provider; null when there is none. */
export async function findWorkspaceCredential(
  database: D1Database,
  name: CredentialName,
): Promise<SealedCredential | null> {
  const { kind, sealed, expiresAt, needsReauth } = workspaceCredentials;
  const found = await openD1(database)
    .select({ kind, sealed, expiresAt, needsReauth })
    .from(workspaceCredentials)
    .where(named(name))
    .get();
  return found ?? null;
}

/** Puts a login's new tokens, or its end, in the place of what was read; does nothing when something else stands there by now. */
export async function replaceCredential(
  database: D1Database,
  name: CredentialName,
  read: Pick<SealedCredential, "sealed">,
  changes: Partial<Pick<SealedCredential, "sealed" | "expiresAt" | "needsReauth">>,
): Promise<void> {
  await openD1(database)
    .update(workspaceCredentials)
    .set(changes)
    .where(and(named(name), eq(workspaceCredentials.sealed, read.sealed)));
}

function named({ workspaceId, provider }: CredentialName) {
  return and(eq(workspaceCredentials.workspaceId, workspaceId), eq(workspaceCredentials.provider, provider));
}
