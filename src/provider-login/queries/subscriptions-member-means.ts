// What a member of a workspace has at the model providers, which decides what runs on their subscriptions.
import { and, eq } from "drizzle-orm";
import type { ProviderId } from "../../model/rules/provider.ts";
import { openD1 } from "../../storage/database.ts";
import { members } from "../../storage/tables/people.ts";
import type { MemberMeans } from "../rules/payer.ts";
import { providerLogins } from "../tables.ts";

/** An SQL expression for a member's means as JSON; NULL for a user who is no member. The arguments are SQL expressions too. */
export function memberMeans(workspaceId: string, userId: string): string {
  return `(SELECT json_object('userId', mu.id, 'defaultModel', mu.default_model, 'providers', json((
      SELECT json_group_array(json_object('provider', provider, 'isUsable', json(iif(needs_reauth, 'false', 'true'))))
      FROM (SELECT provider, min(needs_reauth) AS needs_reauth FROM provider_logins
        WHERE owner_type = 'member' AND owner_id = ${userId} GROUP BY provider))))
    FROM members mm JOIN users mu ON mu.id = mm.user_id WHERE mm.workspace_id = ${workspaceId} AND mm.user_id = ${userId})`;
}

/** A member's means; null for a user who is no member. */
export async function findMemberMeans(
  database: D1Database,
  workspaceId: string,
  userId: string,
): Promise<MemberMeans | null> {
  const found = await database
    .prepare(`SELECT ${memberMeans("?1", "?2")} AS means`)
    .bind(workspaceId, userId)
    .first<string>("means");
  return found === null ? null : JSON.parse(found);
}

/** The query that answers a row if the user is a member of the workspace and holds a login of the provider, in whatever state. */
export function holdsLogin(
  database: D1Database,
  { workspaceId, userId, provider }: { workspaceId: string; userId: string; provider: ProviderId },
) {
  const { ownerType, ownerId, provider: of } = providerLogins;
  return openD1(database)
    .select({ id: providerLogins.id })
    .from(members)
    .innerJoin(providerLogins, and(eq(ownerType, "member"), eq(ownerId, members.userId), eq(of, provider)))
    .where(and(eq(members.workspaceId, workspaceId), eq(members.userId, userId)))
    .limit(1);
}
