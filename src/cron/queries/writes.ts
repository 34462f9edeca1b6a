// Writes crons to D1. The objects of crons own the data; lists, searches and access checks read
// these rows.

import { toListedPrompt } from "../../rules/listed-prompt.ts";
import { toSearchable, toSearchablePrompt } from "../../session/rules/filter.ts";
import type { CronState } from "../rules/cron.ts";
import { type CronRow, getCronStatement } from "./crons.ts";

/**
 * The statements that write a cron and its projects from the state of its object. Safe to repeat.
 * With `atMost`, a new cron is written only while its workspace has fewer crons.
 */
export function writeCronStatements(
  database: D1Database,
  { cron, projects, inFlight }: CronState,
  atMost: number | null = null,
): D1PreparedStatement[] {
  // A run that does not open counts as overdue too, so that the sweep wakes its cron.
  const starts = inFlight.flatMap(({ isOpen, createdAt }) => (isOpen ? [] : [createdAt]));
  const awaits = [...starts, ...(cron.slot === null ? [] : [cron.slot])];
  const dueFrom = awaits.length === 0 ? null : Math.min(...awaits);
  const rows = projects.map(({ projectId, pausedAt, pausedReason, lastRunStatus }) => [
    ...[projectId, pausedAt, pausedReason, lastRunStatus],
  ]);
  const listed = toListedPrompt({ prompt: cron.prompt });
  return [
    database
      .prepare(
        `INSERT INTO crons (id, workspace_id, name, prompt, cron_expression, model, enabled, disabled_reason, created_by, next_slot,
           last_run_at, last_run_status, search_text, created_at, updated_at, is_prompt_cut)
         SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16 WHERE ?17 IS NULL
           OR EXISTS (SELECT 1 FROM crons k WHERE k.id = ?1) OR (SELECT count(*) FROM crons k WHERE k.workspace_id = ?2) < ?17
         ON CONFLICT (id) DO UPDATE SET name = ?3, prompt = ?4, cron_expression = ?5, model = ?6, enabled = ?7, disabled_reason = ?8,
           next_slot = ?10, last_run_at = ?11, last_run_status = ?12, search_text = ?13, updated_at = ?15,
           is_prompt_cut = ?16`,
      )
      .bind(
        ...[cron.id, cron.workspaceId, cron.name, listed.prompt, cron.cronExpression, cron.model, Number(cron.enabled)],
        ...[cron.disabledReason, cron.createdBy, dueFrom, cron.lastRunAt, cron.lastRunStatus],
        ...[`${toSearchable(cron.name)}\n${toSearchablePrompt(cron.prompt)}`, cron.createdAt, cron.updatedAt],
        ...[Number(listed.isPromptCut), atMost],
      ),
    listed.isPromptCut
      ? database
          .prepare(
            `INSERT INTO cron_prompts (cron_id, prompt) SELECT ?1, ?2 WHERE EXISTS (SELECT 1 FROM crons k WHERE k.id = ?1)
             ON CONFLICT (cron_id) DO UPDATE SET prompt = ?2`,
          )
          .bind(cron.id, cron.prompt)
      : database.prepare("DELETE FROM cron_prompts WHERE cron_id = ?1").bind(cron.id),
    database
      .prepare(
        `DELETE FROM cron_projects WHERE cron_id = ?1 AND project_id NOT IN (SELECT value ->> 0 FROM json_each(?2))`,
      )
      .bind(cron.id, JSON.stringify(rows)),
    database
      .prepare(
        `INSERT INTO cron_projects (cron_id, project_id, paused_at, paused_reason, last_run_status)
         SELECT ?1, value ->> 0, value ->> 1, value ->> 2, value ->> 3 FROM json_each(?2)
         WHERE EXISTS (SELECT 1 FROM crons k WHERE k.id = ?1)
         ON CONFLICT (cron_id, project_id) DO UPDATE SET paused_at = excluded.paused_at, paused_reason = excluded.paused_reason,
           last_run_status = excluded.last_run_status
         WHERE (paused_at, paused_reason, last_run_status) IS NOT (excluded.paused_at, excluded.paused_reason, excluded.last_run_status)`,
      )
      .bind(cron.id, JSON.stringify(rows)),
  ];
}

/**
 * Writes a cron and its projects, and returns it as single reads show it; null if `atMost`
 * prevented the write. One round trip.
 */
export async function writeCron(
  database: D1Database,
  state: CronState,
  atMost: number | null = null,
): Promise<CronRow | null> {
  const results = await database.batch<{ cron: string }>([
    ...writeCronStatements(database, state, atMost),
    getCronStatement(database, state.cron.id),
  ]);
  const { cron } = results.at(-1)?.results[0] ?? {};
  return cron === undefined ? null : JSON.parse(cron);
}
