// Objects that were stored before workspaces had a quota: a sweep counts each to its workspace,
// once.
import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import { newId } from "../../../src/lib/ids.ts";
import { sweepEarlierObjects } from "../../../src/sweeps/earlier-objects.ts";
import { addWorkspaceWith } from "../support/people.ts";

const place = (after: string) => ({ now: Date.now(), after });

test("are counted page by page, in the round that is the only one", async () => {
  const { workspaceId } = await addWorkspaceWith({ owner: "owner" });
  const run = (sql: string) => env.DB.prepare(sql.replaceAll("$", tag)).bind(workspaceId).run();
  const tag = newId();
  await env.DB.prepare("DELETE FROM sweep_marks WHERE sweep = 'earlier objects'").run();
  await run(
    `INSERT INTO projects (id, workspace_id, name, repository, target_branch, deploy_status, settings, main_sandbox_key, created_at, updated_at)
     VALUES ('p-$', ?1, 'P', 'o/r', 'main', 'none', '{}', 'm-$', 0, 0)`,
  );
  await run(
    `INSERT INTO sessions (id, workspace_id, project_id, title, status, priority, target_branch, sandbox_key, is_behind, queue_count, created_at, updated_at)
     VALUES ('s-$', ?1, 'p-$', 'T', 'active', 'none', 'main', 'k-$', 0, 0, 0, 0)`,
  );
  await run(
    `INSERT INTO crons (id, workspace_id, name, prompt, cron_expression, enabled, created_by, search_text, created_at, updated_at)
     VALUES ('c-$', ?1, 'C', 'Look.', '0 3 * * *', 1, 'u', 'c', 0, 0)`,
  );
  await run(
    `INSERT INTO cron_runs (id, cron_id, workspace_id, project_id, project_name, status, is_opened, created_at)
     VALUES ('r-$', 'c-$', ?1, 'p-$', 'P', 'running', 1, 0)`,
  );
  await run(
    "INSERT INTO prototypes (id, project_id, title, variants, created_at) SELECT 'y-$', 'p-$', 'Y', '[]', 0 WHERE ?1 <> ''",
  );
  const skill = (id: string, type: string) =>
    run(
      `INSERT INTO skills (id, owner_type, owner_id, name, description, enabled, file_count, hash, body_key, created_at, updated_at)
       VALUES ('${id}-$', '${type}', ?1, 'look', 'Looks.', 1, 1, 'h', 'skills/${id}-$', 0, 0)`,
    );
  await skill("k", "workspace");
  await skill("own", "member");
  const counted = [
    ...["crons/c-$/runs/r-$/outputs/t/0", "cron-runs/r-$/artifacts/a", "projects/p-$/attachments/a"],
    ...["prototypes/y-$/0", "sandboxes/k-$/1.layer", "sandboxes/m-$/1.layer", "sessions/s-$/artifacts/a"],
    ...["sessions/s-$/attachments/a", "skills/k-$"],
  ].map((key) => key.replaceAll("$", tag));
  const others = [
    ...["bases/p-$/b.layer", "pictures/$", "sessions/s-$/artifacts/a.layout-1.html", "sessions/gone-$/attachments/a"],
    ...["skills/own-$", "sandboxes/gone-$/1.layer", "prototypes/gone-$/0"],
  ].map((key) => key.replaceAll("$", tag));
  for (const key of [...counted, ...others]) await env.STORE.put(key, "x".repeat(10));
  // One is counted already, and stays as it is.
  await run("INSERT INTO stored_objects VALUES ('sessions/s-$/attachments/a', ?1, 7)");

  let after: string | null = "";
  let pages = 0;
  for (; after !== null; pages++) after = await sweepEarlierObjects(env, place(after), 3);
  expect(pages).toBeGreaterThan(5);
  const rows = async () =>
    (
      await env.DB.prepare("SELECT key FROM stored_objects WHERE workspace_id = ?1 ORDER BY key")
        .bind(workspaceId)
        .all<{ key: string }>()
    ).results;
  expect((await rows()).map(({ key }) => key)).toEqual(counted.toSorted());
  const used = await env.DB.prepare("SELECT stored_bytes FROM workspaces WHERE id = ?1").bind(workspaceId).first();
  expect(used).toEqual({ stored_bytes: 10 * (counted.length - 1) + 7 });

  await env.STORE.put(`sessions/s-${tag}/attachments/later`, "x");
  expect(await sweepEarlierObjects(env, place(""), 3)).toBeNull();
  expect(await rows()).toHaveLength(counted.length);
});
