// The shared preview of a session, as a visitor with its link sees it while its object starts and
// pauses the sandbox on a scripted host.
import { env } from "cloudflare:workers";
import { beforeEach, expect, test } from "vitest";
import { createShareLink } from "../../../src/preview/queries/share-links.ts";
import { findSharedTarget } from "../../../src/preview/queries/targets.ts";
import { readSharedPreview } from "../../../src/preview/view-shared.ts";
import { freshSandbox, generation, host, idle, key, owner, sandbox, until } from "../support/sandbox-driver.ts";
import { held } from "../support/scripted-host.ts";
import { unlimitedEnv } from "../support/unlimited-env.ts";

beforeEach(async () => {
  await freshSandbox();
  await env.DB.prepare("DELETE FROM sessions WHERE id = ?1").bind(owner.id).run();
  await env.DB.prepare(
    `INSERT INTO sessions (id, workspace_id, project_id, title, status, priority, branch, target_branch, sandbox_key, is_behind, created_at, updated_at, queue_count)
     VALUES (?1, ?2, ?3, 'Shared', 'active', 'none', ?4, 'main', ?5, 0, 0, 0, 0)`,
  )
    .bind(owner.id, owner.workspaceId, owner.projectId, owner.branch, key)
    .run();
  const of = { projectId: owner.projectId, sessionId: owner.id, sandboxKey: key };
  await createShareLink(env.DB, { slug: key, ...of, createdBy: null, createdAt: 0, lastViewedAt: null });
});

async function open() {
  const target = await findSharedTarget(env.DB, key);
  if (target === null) throw new Error("the link is unknown");
  return await readSharedPreview({ ...unlimitedEnv, SANDBOX: env.OWN_SANDBOX }, target, {
    wakes: true,
    now: Date.now(),
  });
}

test("a link that is opened while its sandbox is being paused says that the preview starts", async () => {
  await sandbox().wakeForPreview(owner);
  const { answer, goOn } = held(() => new Response("saved for the pause"));
  host.answerNext("GET /archive", answer);
  await idle();
  await until(async () => host.count("GET /archive")).toBe(1);
  expect(await open()).toMatchObject({ status: "starting" });
  expect((await sandbox().status()).state).toBe("pausing");
  goOn();
  await until(generation).toBe(2);
});
