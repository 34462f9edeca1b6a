// The sweep of ended work: the saved work of an ended session is deleted in time, its prebuild
// becomes free, and other work stays.
import { env } from "cloudflare:workers";
import { beforeEach, expect, test } from "vitest";
import type { Env } from "../../../src/env.ts";
import { endedWorkDays } from "../../../src/rules/limits.ts";
import { claimPrebuild } from "../../../src/sandbox/queries/prebuilds.ts";
import { sweepEndedWork, sweepUnusedBases } from "../../../src/sandbox/sweep.ts";
import { getPrebuildLayerKey } from "../../../src/storage/objects.ts";
import {
  freshSandbox,
  key,
  owner,
  sandbox,
  saveBehindTurn,
  savedWork,
  settled,
  until,
} from "../support/sandbox-driver.ts";
import { sweepWhole } from "../support/sweep-whole.ts";

const tenMinutesMs = 10 * 60_000;
const dayMs = 24 * 60 * 60_000;
const now = Math.ceil(Date.now() / tenMinutesMs) * tenMinutesMs;
const bindings = { ...env, SANDBOX: env.OWN_SANDBOX } as unknown as Env;
const state = async () => (await sandbox().status()).state;
const bases = async () =>
  (
    await env.DB.prepare("SELECT id FROM sandbox_bases WHERE project_id = ?1 ORDER BY id").bind(owner.projectId).all()
  ).results.map(({ id }) => id);

/** A paused sandbox with saved work on an old prebuild, whose session has this end. */
async function waitUntilAsleep(endedAt: number | null): Promise<void> {
  await sandbox().wakeForPreview(owner);
  await until(state).toBe("running");
  for (const id of ["b1", "b2"]) {
    await env.DB.prepare(
      "INSERT INTO sandbox_bases (id, project_id, fingerprint, recipe, state, created_at) VALUES (?1, ?2, ?1, ?1, 'ready', 0)",
    )
      .bind(id, owner.projectId)
      .run();
    await env.STORE.put(getPrebuildLayerKey(owner.projectId, id), "a layer");
  }
  await claimPrebuild(env.DB, key, { projectId: owner.projectId, fingerprint: "b1", recipe: "none" });
  await saveBehindTurn();
  await env.DB.prepare(
    `INSERT INTO sessions (id, workspace_id, project_id, title, status, priority, target_branch, sandbox_key, is_behind, queue_count,
       created_at, updated_at, ended_at) VALUES (?1, 'ws_team', ?2, 'S', ?3, 'none', 'main', ?1, 0, 0, 0, 0, ?4)`,
  )
    .bind(key, owner.projectId, endedAt === null ? "active" : "completed", endedAt)
    .run();
}

beforeEach(async () => {
  await freshSandbox();
  await env.DB.prepare("DELETE FROM sandbox_bases WHERE project_id = ?1").bind(owner.projectId).run();
});

test.each<[string, number | null, boolean]>([
  ["that ended 14 days ago is dropped", endedWorkDays, true],
  ["that ended long before, and was missed, is dropped", endedWorkDays + 90, true],
  ["that ended a day less ago is kept", endedWorkDays - 1, false],
  ["that goes on is kept", null, false],
])("the work of a session %s", async (_, daysAgo, isDropped) => {
  await waitUntilAsleep(daysAgo === null ? null : now - daysAgo * dayMs - 1);
  await sandbox().stopGracefully();
  await until(state).toBe("paused");
  await sweepWhole(sweepEndedWork, bindings, now + 60_000);
  expect(await state()).toBe("paused");
  await sweepWhole(sweepEndedWork, bindings, now);
  await settled();
  await sweepWhole(sweepUnusedBases, bindings, now);
  expect([await state(), await savedWork(), await bases()]).toEqual(
    isDropped ? ["absent", [], ["b2"]] : ["paused", [expect.any(String)], ["b1", "b2"]],
  );
  expect((await env.STORE.get(getPrebuildLayerKey(owner.projectId, "b1"))) === null).toBe(isDropped);
});

test("a sandbox that still runs keeps its work", async () => {
  await waitUntilAsleep(now - endedWorkDays * dayMs - 1);
  await sweepWhole(sweepEndedWork, bindings, now);
  await settled();
  expect([await state(), (await savedWork()).length, await bases()]).toEqual(["running", 1, ["b1", "b2"]]);
});
