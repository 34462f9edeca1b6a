// Reads crons: the facts for a fire, and the rows that lists, searches and access checks read.
// `writes.ts` writes them.

import type { ModelFacts } from "../../model/rules/choice.ts";
import type { ProviderId } from "../../model/rules/provider.ts";
import { getRunningMsSql } from "../../sandbox/queries/slots.ts";
import { toSearchable } from "../../session/rules/filter.ts";
import { getSpendSql } from "../../usage/queries.ts";
import { isOverAllowance } from "../../workspace/rules/billing-block.ts";
import type { PlanName } from "../../workspace/rules/billing-plan.ts";
import type { FireFacts } from "../rules/fire.ts";
import type { ProjectFacts } from "../rules/gate.ts";
import type { CronRunStatus } from "../rules/run-status.ts";

/** A cron as lists and reads show it. */
export interface CronRow {
  id: string;
  name: string;
  prompt: string;
  isPromptCut: boolean;
  cronExpression: string;
  model: string | null;
  enabled: boolean;
  disabledReason: string | null;
  createdBy: string;
  createdByName: string | null;
  lastRunAt: number | null;
  lastRunStatus: CronRunStatus | null;
  /** Sorted by name. */
  projects: CronProjectRow[];
  createdAt: number;
  updatedAt: number;
}

export interface CronProjectRow {
  id: string;
  name: string;
  baseBranch: string;
  pausedAt: number | null;
  pausedReason: string | null;
  lastRunStatus: CronRunStatus | null;
}

/** The prompt of a cron in lists, as members of a JSON object. */
const listedPrompt = "'prompt', c.prompt, 'isPromptCut', json(iif(c.is_prompt_cut, 'true', 'false'))";
const wholePrompt = `'prompt', iif(c.is_prompt_cut, coalesce((SELECT ct.prompt FROM cron_prompts ct WHERE ct.cron_id = c.id), c.prompt), c.prompt),
  'isPromptCut', json('false')`;

const cronWith = (
  prompt: string,
) => `json_object('id', c.id, 'name', c.name, ${prompt}, 'cronExpression', c.cron_expression, 'model', c.model,
  'enabled', json(iif(c.enabled, 'true', 'false')), 'disabledReason', c.disabled_reason, 'createdBy', c.created_by,
  'createdByName', (SELECT cu.name FROM users cu WHERE cu.id = c.created_by), 'lastRunAt', c.last_run_at, 'lastRunStatus', c.last_run_status,
  'projects', json((SELECT json_group_array(json(project)) FROM (
    SELECT json_object('id', cp.id, 'name', cp.name, 'baseBranch', cp.target_branch, 'pausedAt', ci.paused_at,
      'pausedReason', ci.paused_reason, 'lastRunStatus', ci.last_run_status) AS project
    FROM cron_projects ci JOIN projects cp ON cp.id = ci.project_id WHERE ci.cron_id = c.id ORDER BY cp.name, cp.id))),
  'createdAt', c.created_at, 'updatedAt', c.updated_at)`;

/** An SQL expression for a cron of the table `c` as JSON: a `CronRow` with the whole prompt. */
export const cronAsJson = cronWith(wholePrompt);

/**
 * The facts for a fire, about a workspace, these projects and these people, in one statement; null
 * if the workspace is gone. `catalog` is passed in by the caller.
 */
export async function readFireFacts(
  database: D1Database,
  {
    workspaceId,
    projectIds,
    userIds,
  }: { workspaceId: string; projectIds: readonly string[]; userIds: readonly string[] },
  catalog: ModelFacts["catalog"],
): Promise<FireFacts | null> {
  const row = await database
    .prepare(
      `SELECT w.timezone AS zone, w.plan, w.default_model AS workspaceDefaultModel, ${getRunningMsSql("w.id")} AS runningMs,
         ${getSpendSql("w.id", "w.spend_limit_usd")} AS spend,
         (SELECT json_group_array(l.provider) FROM provider_logins l
           WHERE l.owner_type = 'workspace' AND l.owner_id = w.id AND l.needs_reauth = 0) AS providers,
         (SELECT json_group_array(json_object('id', p.id, 'name', p.name, 'targetBranch', p.target_branch,
             'mainSandboxKey', iif(p.is_live AND NOT p.is_main_reclaimed, p.main_sandbox_key, NULL)))
           FROM projects p WHERE p.workspace_id = w.id AND p.id IN (SELECT value FROM json_each(?2))) AS projects,
         w.suspended_at IS NOT NULL OR EXISTS (SELECT 1 FROM users u
           WHERE u.id IN (SELECT value FROM json_each(?3)) AND u.suspended_at IS NOT NULL) AS isSuspended
       FROM workspaces w WHERE w.id = ?1`,
    )
    .bind(workspaceId, JSON.stringify(projectIds), JSON.stringify(userIds))
    .first<{
      zone: string;
      plan: PlanName;
      workspaceDefaultModel: string | null;
      runningMs: number;
      spend: string;
      providers: string;
      projects: string;
      isSuspended: number;
    }>();
  if (!row) return null;
  return {
    zone: row.zone,
    isSuspended: row.isSuspended === 1,
    catalog,
    workspaceDefaultModel: row.workspaceDefaultModel,
    isBlockedOnBilling: isOverAllowance(row.plan, row.runningMs),
    workspaceSpend: JSON.parse(row.spend),
    runnable: new Set<ProviderId>(JSON.parse(row.providers)),
    projects: JSON.parse(row.projects) as ProjectFacts[],
  };
}

/** The facts that a create or a change of a cron depends on. */
export interface CronFacts {
  /** The number of crons in the workspace. */
  crons: number;
  /** The projects of the workspace; only some of them if there are very many. */
  projects: NamedProject[];
}

export interface NamedProject {
  id: string;
  name: string;
}

/** Few workspaces have more. */
const projectsInFacts = 200;

/** An SQL expression for the `CronFacts` of the workspace `w`, as JSON. */
export const cronFactsAsJson = `json_object('crons', (SELECT count(*) FROM crons fc WHERE fc.workspace_id = w.id), 'projects', json((
  SELECT json_group_array(json_object('id', id, 'name', name)) FROM (
    SELECT fp.id, fp.name FROM projects fp WHERE fp.workspace_id = w.id LIMIT ${projectsInFacts}))))`;

/** The projects with these ids that exist, in any workspace. */
export async function findProjects(
  database: D1Database,
  ids: readonly string[],
): Promise<(NamedProject & { workspaceId: string })[]> {
  const { results } = await database
    .prepare("SELECT id, name, workspace_id AS workspaceId FROM projects WHERE id IN (SELECT value FROM json_each(?1))")
    .bind(JSON.stringify(ids))
    .all<NamedProject & { workspaceId: string }>();
  return results;
}

export interface CronListQuery {
  workspaceId: string;
  projectId: string | null;
  /** Only the crons of this creator; null for all. */
  createdBy: string | null;
  search: string;
  page: number;
  pageSize: number;
}

/** One page of a workspace's crons, newest first, and their total number. One round trip. */
export async function listCrons(
  database: D1Database,
  { workspaceId, projectId, createdBy, search, page, pageSize }: CronListQuery,
): Promise<{ crons: CronRow[]; total: number }> {
  const where = `c.workspace_id = ?1 AND (?2 IS NULL OR c.created_by = ?2)
    AND (?3 IS NULL OR EXISTS (SELECT 1 FROM cron_projects cx WHERE cx.cron_id = c.id AND cx.project_id = ?3))
    AND (?4 = '' OR instr(c.search_text, ?4) > 0)`;
  const wanted = [workspaceId, createdBy, projectId, toSearchable(search)];
  const [counted, rows] = await database.batch<{ total: number; cron: string }>([
    database.prepare(`SELECT count(*) AS total FROM crons c WHERE ${where}`).bind(...wanted),
    database
      .prepare(
        `SELECT ${cronWith(listedPrompt)} AS cron FROM crons c WHERE ${where} ORDER BY c.created_at DESC, c.id DESC LIMIT ?5 OFFSET ?6`,
      )
      .bind(...wanted, pageSize, (page - 1) * pageSize),
  ]);
  return {
    crons: (rows?.results ?? []).map(({ cron }) => JSON.parse(cron)),
    total: counted?.results[0]?.total ?? 0,
  };
}

/** A cron; null for an unknown id. */
export async function findCron(database: D1Database, id: string): Promise<CronRow | null> {
  const cron = await getCronStatement(database, id).first<string>("cron");
  return cron === null ? null : JSON.parse(cron);
}

/** The statement that reads a cron as single reads show it. */
export function getCronStatement(database: D1Database, id: string): D1PreparedStatement {
  return database.prepare(`SELECT ${cronAsJson} AS cron FROM crons c WHERE c.id = ?1`).bind(id);
}

/** The schedules of a workspace's crons, for a change of its timezone. */
export async function listSchedules(
  database: D1Database,
  workspaceId: string,
): Promise<{ id: string; name: string; cronExpression: string }[]> {
  const { results } = await database
    .prepare(
      "SELECT id, name, cron_expression AS cronExpression FROM crons WHERE workspace_id = ?1 ORDER BY created_at, id",
    )
    .bind(workspaceId)
    .all<{ id: string; name: string; cronExpression: string }>();
  return results;
}

/** Some of the crons that have a project. */
export async function listProjectCrons(database: D1Database, projectId: string, atMost: number) {
  const ofProject = "SELECT cron_id AS id FROM cron_projects WHERE project_id = ?1 LIMIT ?2";
  return (await database.prepare(ofProject).bind(projectId, atMost).all<{ id: string }>()).results;
}

/** Some of the crons of a workspace. */
export async function listWorkspaceCrons(
  database: D1Database,
  workspaceId: string,
  atMost: number,
): Promise<{ id: string }[]> {
  const some = database.prepare("SELECT id FROM crons WHERE workspace_id = ?1 LIMIT ?2").bind(workspaceId, atMost);
  return (await some.all<{ id: string }>()).results;
}

/** Deletes a project from the row of a cron. Idempotent. */
export async function deleteCronProject(database: D1Database, cronId: string, projectId: string): Promise<void> {
  const row = "DELETE FROM cron_projects WHERE cron_id = ?1 AND project_id = ?2";
  await database.prepare(row).bind(cronId, projectId).run();
}

/**
 * Overdue crons: their slot passed before a time and they have not fired, or one of their runs has
 * not opened since then.
 */
export async function listOverdueCrons(
  database: D1Database,
  { before, after, atMost }: { before: number; after: string; atMost: number },
): Promise<string[]> {
  const { results } = await database
    .prepare("SELECT id FROM crons WHERE next_slot < ?1 AND +id > ?2 ORDER BY +id LIMIT ?3")
    .bind(before, after, atMost)
    .all<{ id: string }>();
  return results.map(({ id }) => id);
}

/**
 * Deletes a cron from all lists, and the keys of its runs. The runs themselves are deleted later,
 * in pages. Idempotent.
 */
export async function deleteCronRows(database: D1Database, cronId: string): Promise<void> {
  await database.batch([
    database
      .prepare(
        `DELETE FROM keys WHERE turn_id IN (SELECT r.id FROM cron_runs r WHERE r.cron_id = ?1 AND r.status = 'running')`,
      )
      .bind(cronId),
    database.prepare("DELETE FROM cron_projects WHERE cron_id = ?1").bind(cronId),
    database.prepare("DELETE FROM cron_prompts WHERE cron_id = ?1").bind(cronId),
    database.prepare("DELETE FROM crons WHERE id = ?1").bind(cronId),
  ]);
}
