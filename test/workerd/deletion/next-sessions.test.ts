// Each page of a deletion finds its sessions without reading the others, however many are left.
import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import { listNextSessions } from "../../../src/deletion/queries.ts";

const projectId = crypto.randomUUID();
const limits = { busy: 2, idle: 1 };
let rowsRead = 0;
/** The database, which counts the rows that a batch reads. */
const counted: Pick<D1Database, "prepare" | "batch"> = {
  prepare: (statement) => env.DB.prepare(statement),
  async batch<Row>(statements: D1PreparedStatement[]) {
    const results = await env.DB.batch<Row>(statements);
    rowsRead = results.reduce((sum, { meta }) => sum + meta.rows_read, 0);
    return results;
  },
};

async function addSessions(name: string, count: number, turnStatus: string | null = null): Promise<void> {
  await env.DB.prepare(
    `WITH RECURSIVE place (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM place WHERE n < ?3)
     INSERT INTO sessions (id, workspace_id, project_id, title, status, priority, target_branch, sandbox_key, turn_status, is_behind,
       queue_count, created_at, updated_at)
     SELECT ?1 || ?2 || n, ?1, ?1, 'S', 'active', 'none', 'main', ?1 || ?2 || n, ?4, 0, 0, n, n FROM place`,
  )
    .bind(projectId, name, count, turnStatus)
    .run();
}

const next = async () =>
  (await listNextSessions(counted, [projectId], limits)).map(({ id }) => id.replace(projectId, ""));

test("one idle session is found without reading the others", async () => {
  await addSessions("idle", 1);
  expect(await next()).toEqual(["idle1"]);
  const few = rowsRead;
  await addSessions("more", 500);
  expect(await next()).toHaveLength(1);
  expect(rowsRead).toBeLessThan(few + 100);
});

test("those with a running turn come before those with a sandbox, each once, and both before idle ones", async () => {
  await addSessions("awake", 2);
  await env.DB.prepare(
    `INSERT INTO sandbox_slots (sandbox_key, workspace_id, owner_type, owner_id, state, claimed_at)
     SELECT sandbox_key, workspace_id, 'session', id, 'running', 0 FROM sessions WHERE id GLOB ?1 || 'awake*'`,
  )
    .bind(projectId)
    .run();
  expect((await next()).sort()).toEqual(["awake1", "awake2"]);
  await addSessions("turn", 1, "running");
  expect(await next()).toEqual(["turn1", expect.stringContaining("awake")]);
});
