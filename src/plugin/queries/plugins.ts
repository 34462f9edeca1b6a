// The plugins that are offered, and which of them each user has enabled.
import { and, asc, eq, exists, isNotNull, type SQL, sql } from "drizzle-orm";
import { type EnabledSkill, listEnabledSkills } from "../../skill/queries.ts";
import { toDrizzle } from "../../storage/database.ts";
import { members } from "../../workspace/tables.ts";
import type { PluginComponents, PluginProvider } from "../rules/plugin.ts";
import { pluginChoices, plugins } from "../tables.ts";
import type { PluginRow } from "./marketplaces.ts";

export interface OfferedPlugin {
  id: string;
  provider: PluginProvider;
  name: string;
  marketplace: string;
  description: string | null;
  category: string | null;
  author: string | null;
  version: string | null;
  components: PluginComponents;
  isEnabled: boolean;
  failure: { message: string; failedAt: number; workspaceId: string; sessionId: string } | null;
}

const isOffered = isNotNull(plugins.bodyKey);

type OfferedRow = Omit<OfferedPlugin, "components" | "isEnabled" | "failure"> & {
  components: string;
  isEnabled: number;
  failure: string | null;
};

/**
 * The offered plugins, by provider and name, with a user's choices; and the user's workspaces. Only
 * the requested workspace is named, there and in failures. Rows are as narrow as possible, because
 * there may be thousands of them.
 */
export async function listOfferedPlugins(
  database: D1Database,
  {
    userId,
    provider,
    onlyWorkspaceId = null,
  }: { userId: string; provider: PluginProvider | null; onlyWorkspaceId?: string | null },
): Promise<{ offered: OfferedPlugin[]; workspaces: { id: string; name: string }[] }> {
  const [rows, named] = await database.batch([
    database
      .prepare(
        `SELECT p.id, p.provider, p.name, p.marketplace, p.description, p.category, p.author, p.version, p.components,
           c.plugin_id IS NOT NULL AS isEnabled,
           iif(c.failed_at IS NULL OR c.failure_workspace_id <> ?3, NULL, json_object('message', c.failure_message, 'failedAt', c.failed_at,
             'workspaceId', c.failure_workspace_id, 'sessionId', c.failure_session_id)) AS failure
         FROM plugins p LEFT JOIN plugin_choices c ON c.plugin_id = p.id AND c.user_id = ?1
         WHERE p.body_key IS NOT NULL AND (?2 IS NULL OR p.provider = ?2) ORDER BY p.provider, p.marketplace, p.place`,
      )
      .bind(userId, provider, onlyWorkspaceId),
    database
      .prepare(
        `SELECT w.id, w.name FROM members m JOIN workspaces w ON w.id = m.workspace_id AND w.suspended_at IS NULL
         WHERE m.user_id = ?1 AND (?2 IS NULL OR w.id = ?2) ORDER BY w.name, w.id`,
      )
      .bind(userId, onlyWorkspaceId),
  ]);
  const offered = ((rows?.results ?? []) as OfferedRow[]).map(({ components, isEnabled, failure, ...row }) => ({
    ...row,
    components: JSON.parse(components),
    isEnabled: isEnabled === 1,
    failure: failure === null ? null : JSON.parse(failure),
  }));
  return { offered, workspaces: (named?.results ?? []) as { id: string; name: string }[] };
}

/**
 * Switches a plugin on or off for a user. False if it is to be on and is not offered. A switch
 * clears the last error.
 */
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
 * The query of the offered plugins that a member of a workspace has enabled. `userId` is a user id
 * or a subquery; null for nobody.
 */
export function listEnabledPlugins(
  database: D1Database,
  workspaceId: string,
  userId: string | SQL | null,
  provider: PluginProvider,
) {
  const db = toDrizzle(database);
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

/** The plugins that the Assignee of a session has enabled. */
export function listSessionPlugins(
  database: D1Database,
  workspaceId: string,
  sessionId: string,
  provider: PluginProvider,
): Promise<EnabledPlugin[]> {
  const assignee = sql`(SELECT s.assignee_id FROM sessions s WHERE s.id = ${sessionId} AND s.assignee_kind = 'member')`;
  return listEnabledPlugins(database, workspaceId, assignee, provider).all();
}

export type EnabledPlugin = Pick<PluginRow, "id" | "name" | "hash" | "bodyKey" | "callables"> & {
  userId: string;
  failedAt: number | null;
};

/** Records the error of a plugin in a session; null after a success. */
export async function recordInstall(
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
  await toDrizzle(database)
    .update(pluginChoices)
    .set({
      failureMessage: message,
      failedAt: failed ? now : null,
      failureWorkspaceId: failed ? workspaceId : null,
      failureSessionId: failed ? sessionId : null,
    })
    .where(and(eq(pluginChoices.userId, userId), eq(pluginChoices.pluginId, pluginId)));
}

/**
 * What a member has enabled in a workspace: saved skills, and plugins for sessions on these models.
 * One round trip.
 */
export async function listSkillsAndPlugins(
  database: D1Database,
  workspaceId: string,
  userId: string | null,
  provider: PluginProvider,
): Promise<[EnabledSkill[], EnabledPlugin[]]> {
  return await toDrizzle(database).batch([
    listEnabledSkills(database, workspaceId, userId),
    listEnabledPlugins(database, workspaceId, userId, provider),
  ]);
}
