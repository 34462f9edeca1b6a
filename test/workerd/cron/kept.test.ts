// Limits of crons: how many a workspace has, runs for 90 days, and no rows of a cron that was never
// created.
import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import { getCronObject, getCronRunObject } from "../../../durable-objects/address.ts";
import { findCron, listCrons } from "../../../src/cron/queries/crons.ts";
import { noProjectsLeft } from "../../../src/cron/rules/project-pause.ts";
import { toWireCron } from "../../../src/cron/wire/cron.ts";
import { createId } from "../../../src/lib/ids.ts";
import { cronRunsKeptMs, cronsPerWorkspace } from "../../../src/rules/limits.ts";
import { addCronWorkspace, beginCron, untilOver } from "../support/cron-driver.ts";

async function sql(statement: string, ...values: unknown[]) {
  const { results } = await env.DB.prepare(statement)
    .bind(...values)
    .all<Record<string, unknown>>();
  return results;
}

const count = async (table: string, column: string, value: string) =>
  (await sql(`SELECT count(*) AS n FROM ${table} WHERE ${column} = ?1`, value))[0]?.n;

test("of concurrent creates only as many as the workspace may have leave a cron", async () => {
  const { workspaceId, projectIds, userId, by } = await addCronWorkspace();
  await sql(
    `WITH RECURSIVE place (at) AS (VALUES (1) UNION ALL SELECT at + 1 FROM place WHERE at < ?2)
     INSERT INTO crons (id, workspace_id, name, prompt, cron_expression, enabled, created_by, search_text, created_at, updated_at)
     SELECT ?1 || at, ?1, 'n', 'p', '0 3 * * *', 0, 'u', '', 0, 0 FROM place`,
    workspaceId,
    cronsPerWorkspace - 1,
  );
  const writtenBy = { userId, as: "person" } as const;
  const draft = { name: "n", prompt: "p".repeat(3_000), cronExpression: "0 3 * * *", model: null, zone: "UTC" };
  const projects = projectIds.map((projectId) => ({ projectId, name: "p" }));
  const create = async (id: string): Promise<unknown> =>
    await getCronObject(env, id).create({ id, workspaceId, createdBy: userId, writtenBy, ...draft, projects }, by);
  const ids = [createId(), createId(), createId()];
  const outcomes = await Promise.all(ids.map(create));
  const refused = ids.filter((_, place) => (outcomes[place] as { code?: string } | null)?.code === "BAD_REQUEST");
  expect(refused).toHaveLength(2);
  expect(await count("crons", "workspace_id", workspaceId)).toBe(cronsPerWorkspace);
  for (const id of ids) {
    const kept = refused.includes(id) ? 0 : 1;
    const stored = await runInDurableObject(getCronObject(env, id), (_, { storage }) =>
      storage.sql.exec("SELECT id FROM cron").toArray(),
    );
    expect([
      stored.length,
      await count("cron_projects", "cron_id", id),
      await count("cron_prompts", "cron_id", id),
    ]).toEqual([kept, kept, kept]);
  }
  const [made = ""] = ids.filter((id) => !refused.includes(id));
  expect(await create(made)).toBeNull();
});

test("rows of crons whose create failed are deleted when their object is woken", async () => {
  const cron = await beginCron();
  await runInDurableObject(cron.object(), (_, { storage }) => storage.sql.exec("DELETE FROM cron").toArray());
  await cron.object().wake();
  expect(await count("crons", "id", cron.id)).toBe(0);
  expect(await count("cron_projects", "cron_id", cron.id)).toBe(0);
});

test("runs older than 90 days are deleted with everything that they stored, and a newer or running one stays", async () => {
  const cron = await beginCron({ projectCount: 2 });
  const [one = "", other = ""] = cron.projectIds;
  const runOnce = async () => {
    const [{ runId } = { runId: "" }] = await cron.runNow([one]);
    await cron.end(runId);
    await untilOver(cron, runId);
    return runId;
  };
  const [old, fresh] = [await runOnce(), await runOnce()];
  const [{ runId: going } = { runId: "" }] = await cron.runNow([other]);
  const longAgo = Date.now() - cronRunsKeptMs - 1_000;
  await expect.poll(async () => (await cron.rows()).length).toBe(3);
  await sql("UPDATE cron_runs SET created_at = ?1 WHERE id IN (?2, ?3)", longAgo, old, going);
  await sql("UPDATE cron_runs SET created_at = ?1 WHERE id = ?2", Date.now() - cronRunsKeptMs + 60_000, fresh);
  // More than a page, none of which ever had an object.
  await sql(
    `WITH RECURSIVE place (at) AS (VALUES (1) UNION ALL SELECT at + 1 FROM place WHERE at < 25)
     INSERT INTO cron_runs (id, cron_id, workspace_id, project_id, project_name, status, is_opened, created_at)
     SELECT ?1 || at, ?1, ?2, ?3, 'p', 'failed', 0, ?4 FROM place`,
    ...[cron.id, cron.workspaceId, one, longAgo],
  );
  expect(await getCronRunObject(env, old).read()).not.toBeNull();
  await cron.object().wake();
  const left = async () => (await cron.rows()).map(({ id }) => id).sort();
  await expect.poll(left).toEqual([fresh, going].sort());
  expect(await getCronRunObject(env, old).read()).toBeNull();
  expect(await getCronRunObject(env, fresh).read()).not.toBeNull();
  const counts =
    "SELECT project_id AS id, status, runs FROM cron_run_counts WHERE cron_id = ?1 AND runs <> 0 ORDER BY status";
  expect(await sql(counts, cron.id)).toEqual([
    { id: other, status: "running", runs: 1 },
    { id: one, status: "succeeded", runs: 1 },
  ]);
});

test("a cron reads disabled from the first read that shows no project, before its object knows it", async () => {
  const cron = await beginCron();
  await sql("DELETE FROM projects WHERE id = ?1", cron.projectIds[0]);
  const read = await findCron(env.DB, cron.id);
  const asked = { workspaceId: cron.workspaceId, projectId: null, createdBy: null, search: "", page: 1, pageSize: 10 };
  const { crons } = await listCrons(env.DB, asked);
  for (const row of [read, ...crons]) {
    if (row === null) throw new Error("there is no such cron");
    const none = { projects: [], enabled: false, disabledReason: noProjectsLeft, nextRunAt: null };
    expect(toWireCron(row, "UTC", Date.now())).toMatchObject(none);
  }
  expect((await cron.state()).cron.enabled).toBe(true);
});
