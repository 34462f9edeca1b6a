// Workspaces that stored artifacts before they had a quota: what they store counts.
import { expect, it } from "vitest";
import { migrated } from "./support/migrated.ts";

it("count the artifacts of their sessions and runs, whatever else they stored", () => {
  const workspace = (id: string) =>
    `INSERT INTO workspaces (id, name, slug, plan, created_at) VALUES ('${id}', 'W', '${id}', 'free', 0)`;
  const session = (id: string, workspaceId: string) =>
    `INSERT INTO sessions (id, workspace_id, project_id, title, status, priority, target_branch, sandbox_key, is_behind, queue_count,
       created_at, updated_at) VALUES ('${id}', '${workspaceId}', 'p', 'T', 'active', 'none', 'main', '${id}', 0, 0, 0, 0)`;
  const run = (id: string, workspaceId: string) =>
    `INSERT INTO cron_runs (id, cron_id, workspace_id, project_id, project_name, status, is_opened, created_at)
     VALUES ('${id}', 'c', '${workspaceId}', 'p', 'P', 'running', 1, 0)`;
  const artifact = (ownerId: string, slug: string, bytes: number) =>
    `INSERT INTO artifacts (id, session_id, slug, title, kind, version, body_key, byte_size, write_id, created_at, updated_at)
     VALUES ('${ownerId}-${slug}', '${ownerId}', '${slug}', 'A', 'html', 1, '${ownerId}/${slug}', ${bytes}, 'w', 0, 0)`;
  const database = migrated("d1", "0043_stored-bytes.sql", [
    ...[workspace("first"), workspace("second"), workspace("empty")],
    ...[session("s1", "first"), session("s2", "first"), run("r1", "second")],
    ...[artifact("s1", "a", 100), artifact("s1", "b", 20), artifact("s2", "a", 3), artifact("r1", "a", 4_000)],
    artifact("gone", "a", 50_000),
  ]);
  const rows = (sql: string) =>
    database
      .prepare(sql)
      .all()
      .map((row) => Object.values(row));
  const stored = () => rows("SELECT id, stored_bytes FROM workspaces ORDER BY id");
  expect(stored()).toEqual([
    ["empty", 0],
    ["first", 123],
    ["second", 4_000],
  ]);
  database.exec("DELETE FROM stored_objects WHERE key >= 's1/' AND key < 's10'");
  expect(stored()[1]).toEqual(["first", 3]);
});
