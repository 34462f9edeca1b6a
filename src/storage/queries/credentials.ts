// Sealed credentials of workspaces.
import { and, eq } from "drizzle-orm";
import type { ProviderId } from "../../rules/provider.ts";
import { openD1 } from "../database.ts";
import { workspaceCredentials } from "../tables/credentials.ts";

/** The sealed key of a workspace for a provider; null when there is none. */
export async function findWorkspaceCredential(
  database: D1Database,
  workspaceId: string,
  provider: ProviderId,
): Promise<string | null> {
  const found = await openD1(database)
    .select({ sealed: workspaceCredentials.sealed })
    .from(workspaceCredentials)
    .where(and(eq(workspaceCredentials.workspaceId, workspaceId), eq(workspaceCredentials.provider, provider)))
    .get();
  return found?.sealed ?? null;
}
