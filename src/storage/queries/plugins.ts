// The plugins that are offered, and who has which of them on.
import { and, asc, eq, exists, isNotNull, type SQL, sql } from "drizzle-orm";
import type { PluginProvider } from "../../rules/plugin/plugin.ts";
import { openD1 } from "../database.ts";
import { members } from "../tables/people.ts";
import { pluginChoices, plugins } from "../tables/plugins.ts";
import type { PluginRow } from "./marketplaces.ts";

type Choice = typeof pluginChoices.$inferSelect;

export interface OfferedPlugin {
  plugin: PluginRow;
  /** The user's choice of it; null while it is off. */
  choice: Choice | null;
}

const isOffered = isNotNull(plugins.bodyKey);

/** The plugins that are offered, by provider and name, with a user's choices. */
export function offeredPlugins(
  database: D1Database,
  userId: string,
  provider: PluginProvider | null,
): Promise<OfferedPlugin[]> {
  return openD1(database)
    .select({ plugin: plugins, choice: pluginChoices })
    .from(plugins)
    .leftJoin(pluginChoices, and(eq(pluginChoices.pluginId, plugins.id), eq(pluginChoices.userId, userId)))
    .where(and(isOffered, provider === null ? undefined : eq(plugins.provider, provider)))
    .orderBy(asc(plugins.provider), asc(plugins.marketplace), asc(plugins.place))
    .all();
}

/** Switches a plugin for a user. False if it is to be on and is not offered. A switch forgets what went wrong before. */
export async function switchPlugin(
  database: D1Database,
  { userId, pluginId, enabled }: { userId: string; pluginId: string; enabled: boolean },
  now: number,
): Promise<boolean> {
  if (enabled) {
    const switched = await database
      .prepare(
        `INSERT INTO plugin_choices (user_id, plugin_id, enabled_at) SELECT ?1, id, ?3 FROM plugins WHERE id = ?2 AND body_key IS NOT NULL
         ON CONFLICT DO UPDATE SET failure_message = NULL, failed_at = NULL, failure_workspace_id = NULL, failure_session_id = NULL
         RETURNING plugin_id`,
      )
      .bind(userId, pluginId, now)
      .all();
    return switched.results.length > 0;
  }
  const [removed, offered] = await database.batch([
    database
      .prepare("DELETE FROM plugin_choices WHERE user_id = ?1 AND plugin_id = ?2 RETURNING plugin_id")
      .bind(userId, pluginId),
    database.prepare("SELECT id FROM plugins WHERE id = ?1 AND body_key IS NOT NULL").bind(pluginId),
  ]);
  return [removed, offered].some((answer) => (answer?.results.length ?? 0) > 0);
}

/**
 * The query of the plugins that a member of a workspace has on, and that are offered. `userId` is a user id or a subquery; null for nobody.
 */
export function enabledPlugins(
  database: D1Database,
  workspaceId: string,
  userId: string | SQL | null,
  provider: PluginProvider,
) {
  const db = openD1(database);
  const { id, name, hash, bodyKey, callables } = plugins;
  const isMember = exists(
    db
      .select({ userId: members.userId })
      .from(members)
      .where(and(eq(members.workspaceId, workspaceId), eq(members.userId, pluginChoices.userId))),
  );
  const of = userId === null ? sql`0` : sql`${pluginChoices.userId} = ${userId}`;
  return db
    .select({ id, name, hash, bodyKey, callables, userId: pluginChoices.userId, failedAt: pluginChoices.failedAt })
    .from(pluginChoices)
    .innerJoin(plugins, eq(plugins.id, pluginChoices.pluginId))
    .where(and(of, eq(plugins.provider, provider), isOffered, isMember))
    .orderBy(asc(id));
}

/** The plugins that the Assignee of a session has on. */
export function pluginsOfSession(
  database: D1Database,
  workspaceId: string,
  sessionId: string,
  provider: PluginProvider,
): Promise<EnabledPlugin[]> {
  const assignee = sql`(SELECT s.assignee_id FROM sessions s WHERE s.id = ${sessionId} AND s.assignee_kind = 'member')`;
  return enabledPlugins(database, workspaceId, assignee, provider).all();
}

export type EnabledPlugin = Pick<PluginRow, "id" | "name" | "hash" | "bodyKey" | "callables"> & {
  userId: string;
  failedAt: number | null;
};

/** Notes what went wrong with a plugin in a session, or with null that nothing did. */
export async function noteInstall(
  database: D1Database,
  {
    userId,
    pluginId,
    workspaceId,
    sessionId,
  }: { userId: string; pluginId: string; workspaceId: string; sessionId: string },
  message: string | null,
  now: number,
): Promise<void> {
  const failed = message !== null;
  await openD1(database)
    .update(pluginChoices)
    .set({
      failureMessage: message,
      failedAt: failed ? now : null,
      failureWorkspaceId: failed ? workspaceId : null,
      failureSessionId: failed ? sessionId : null,
    })
    .where(and(eq(pluginChoices.userId, userId), eq(pluginChoices.pluginId, pluginId)));
}
