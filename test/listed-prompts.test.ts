// Rows of sessions and crons that were written with their whole prompts, before lists had the first
// characters only.
import { expect, it } from "vitest";
import { migrated } from "./support/migrated.ts";

const long = "😀".repeat(5_000);

it("keep the start of a long prompt, and of a cron the whole beside it", () => {
  const session = (id: string, prompt: string | null) =>
    `INSERT INTO sessions (id, workspace_id, project_id, title, prompt, status, priority, target_branch, sandbox_key, is_behind, queue_count,
       search_title, search_prompt, created_at, updated_at)
     VALUES ('${id}', 'w', 'p', 'T', ${prompt === null ? "NULL" : `'${prompt}'`}, 'backlog', 'none', 'main', '${id}', 0, 0, 't', '${prompt ?? ""}', 0, 0)`;
  const cron = (id: string, prompt: string) =>
    `INSERT INTO crons (id, workspace_id, name, prompt, cron_expression, enabled, created_by, search_text, created_at, updated_at)
     VALUES ('${id}', 'w', 'Name', '${prompt}', '0 3 * * *', 1, 'u', 'name' || char(10) || '${prompt}', 0, 0)`;
  const database = migrated("d1", "0039_listed-prompts.sql", [
    ...[session("none", null), session("short", "Look."), session("long", long)],
    ...[cron("short", "Look."), cron("long", long)],
  ]);
  const rows = (sql: string) =>
    database
      .prepare(sql)
      .all()
      .map((row) => Object.values(row));
  const start = "😀".repeat(2_000);
  const searched = "😀".repeat(4_000);
  expect(rows("SELECT id, prompt, is_prompt_cut, search_prompt FROM sessions ORDER BY id")).toEqual([
    ["long", start, 1, searched],
    ["none", null, 0, ""],
    ["short", "Look.", 0, "Look."],
  ]);
  expect(rows("SELECT id, prompt, is_prompt_cut, search_text FROM crons ORDER BY id")).toEqual([
    ["long", start, 1, `name\n${searched}`],
    ["short", "Look.", 0, "name\nLook."],
  ]);
  expect(rows("SELECT cron_id, prompt FROM cron_prompts")).toEqual([["long", long]]);
});
