// The sweep for silent turns reads others each time, so that long Deploys hide no others.
import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import { listProjectsAtWork } from "../../../src/session/queries/index.ts";

const count = 120;
const perSweep = 50;

test("of 120 running ones each is found, though a sweep reads 50", async () => {
  await env.DB.prepare(
    `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${count})
     INSERT INTO projects (id, workspace_id, name, repository, target_branch, deploy_status, settings, main_sandbox_key, created_at, updated_at)
     SELECT 'swept_' || i, 'ws_swept', 'P', 'acme/swept', 'main', 'running_agent', '{}', 'main_' || i, 0, 0 FROM n`,
  ).run();
  const found = new Set<string>();
  // The chance that one is left out of all these sweeps is 1 in 10¹⁵.
  for (let sweep = 0; sweep < 80; sweep++) {
    const read = await listProjectsAtWork(env.DB, perSweep);
    expect(read.length).toBe(perSweep);
    for (const { id } of read) found.add(id);
  }
  expect([...found].filter((id) => id.startsWith("swept_")).length).toBe(count);
  await env.DB.prepare("DELETE FROM projects WHERE workspace_id = 'ws_swept'").run();
});
