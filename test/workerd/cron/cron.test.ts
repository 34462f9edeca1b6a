// A cron object: fires, counts and pauses, also when its alarm fires twice, late or not at all.
import { evictDurableObject, runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import { getCronRunObject } from "../../../durable-objects/address.ts";
import { listRuns } from "../../../src/cron/queries/runs.ts";
import { beginCron, minute, untilOver } from "../support/cron-driver.ts";

const failed = { status: "failed", error: "It broke.", errorCode: "broke" } as const;
const hour = 60 * minute;
/** A daily schedule whose slot has just passed, also when the hour ends during a test. */
function justPassed() {
  const slot = Math.floor(Date.now() / hour) * hour;
  return { slot, cronExpression: `0 ${new Date(slot).getUTCHours()} * * *` };
}

describe("a fire", () => {
  test("creates one run for each project, plans the next slot, and is recorded", async () => {
    const { slot, cronExpression } = justPassed();
    const cron = await beginCron({ projectCount: 2, cronExpression });
    await cron.makeDue(slot);
    await cron.alarm();
    await expect.poll(cron.rows).toHaveLength(2);
    expect(await cron.rows()).toMatchObject([
      { status: "running", slot, model: expect.stringContaining("anthropic"), is_opened: 1 },
      { status: "running", slot },
    ]);
    const { cron: record, inFlight } = await cron.state();
    expect(record.slot).toBeGreaterThan(Date.now());
    expect(inFlight).toHaveLength(2);
  });

  test("that is repeated, also over an eviction, creates no second run", async () => {
    const { slot, cronExpression } = justPassed();
    const cron = await beginCron({ cronExpression });
    await cron.makeDue(slot);
    await cron.alarm();
    await expect.poll(cron.rows).toHaveLength(1);
    await evictDurableObject(cron.object());
    await cron.sql("INSERT INTO reminders (name, at) VALUES ('fire', 1) ON CONFLICT DO UPDATE SET at = 1");
    await cron.alarm();
    const [first] = await cron.rows();
    expect(await cron.object().fireSlot(slot)).toMatchObject([{ runId: first?.id }]);
    expect(await cron.rows()).toHaveLength(1);
  });

  test("that meets a running run leaves a skipped row that names it", async () => {
    const cron = await beginCron();
    const [run] = await cron.runNow();
    expect(run?.status).toBe("running");
    expect(await cron.runNow()).toMatchObject([{ status: "skipped" }]);
    await expect.poll(cron.rows).toHaveLength(2);
    expect((await cron.rows())[1]).toMatchObject({
      status: "skipped",
      error: null,
      summary: expect.stringContaining(run?.runId ?? ""),
    });
    await cron.end(run?.runId ?? "", failed);
    await untilOver(cron, run?.runId ?? "");
    const list = (filter: object) =>
      listRuns(env.DB, { cronId: cron.id, projectIds: [], statuses: [], page: 1, pageSize: 1, ...filter });
    expect(await list({})).toMatchObject({ total: 2, failed: 1, runs: [{ status: "skipped" }] });
    expect(await list({ statuses: ["failed"] })).toMatchObject({ total: 1, failed: 1, runs: [{ error: "It broke." }] });
    expect(await list({ projectIds: [crypto.randomUUID()] })).toEqual({ total: 0, failed: 0, runs: [] });
  });

  test("of missed slots fires the newest late, and leaves rows for the others", async () => {
    const { slot: newest } = justPassed();
    const hours = [0, 1, 2, 3].map((before) => new Date(newest - before * hour).getUTCHours());
    const cron = await beginCron({ cronExpression: `0 ${hours.join(",")} * * *` });
    await cron.makeDue(newest - 3 * hour);
    await cron.alarm();
    await expect.poll(cron.rows).toHaveLength(4);
    const statuses = (await cron.rows()).map(({ slot, status }) => [Number(slot) - newest, status]);
    expect(statuses.filter(([, status]) => status === "skipped")).toHaveLength(3);
    expect(statuses).toContainEqual([0, "running"]);
  });

  test("after an outage is spread again, and fires then, however late it is", async () => {
    const { slot, cronExpression } = justPassed();
    const missed = slot - 24 * hour;
    const cron = await beginCron({ cronExpression });
    await cron.makeDue(missed, missed + 30_000);
    await cron.alarm();
    const { cron: record } = await cron.state();
    expect(record.dueAt - Date.now()).toBeGreaterThan(-minute);
    expect(record.slot).toBe(missed);
    expect(await cron.rows()).toEqual([]);
    await cron.makeDue(missed, Date.now() - 10 * minute);
    await cron.alarm();
    await expect.poll(async () => (await cron.rows()).map((row) => row.slot)).toContain(slot);
  });

  test("of a slot that does not exist in the new zone is planned again", async () => {
    const { slot, cronExpression } = justPassed();
    const cron = await beginCron({ cronExpression });
    await env.DB.prepare("UPDATE workspaces SET timezone = 'Asia/Tokyo' WHERE id = ?1").bind(cron.workspaceId).run();
    await cron.makeDue(slot);
    await cron.alarm();
    expect(await cron.rows()).toEqual([]);
    expect((await cron.state()).cron).toMatchObject({ zone: "Asia/Tokyo" });
  });

  test("without a main sandbox or credentials is a failed run that counts", async () => {
    const cron = await beginCron();
    await env.DB.prepare("UPDATE projects SET is_live = 0 WHERE id = ?1").bind(cron.projectIds[0]).run();
    expect(await cron.runNow()).toMatchObject([{ status: "failed" }]);
    await env.DB.prepare("UPDATE projects SET is_live = 1 WHERE id = ?1").bind(cron.projectIds[0]).run();
    await env.DB.prepare("DELETE FROM provider_logins WHERE owner_id = ?1").bind(cron.workspaceId).run();
    expect(await cron.runNow()).toMatchObject([{ status: "failed" }]);
    await expect.poll(cron.rows).toHaveLength(2);
    expect(await cron.rows()).toMatchObject([{ error_code: "not_deployed" }, { error_code: "no_credentials" }]);
    expect((await cron.state()).projects[0].failures).toBe(2);
  });
});

test("five failures pause a project and the cron; only a success resets the count; resume and edits reset it too", async () => {
  const cron = await beginCron();
  const run = async (outcome: Parameters<typeof cron.end>[1]) => {
    const [{ runId } = { runId: "" }] = await cron.runNow(cron.projectIds);
    await cron.end(runId, outcome);
    await untilOver(cron, runId);
  };
  await run(failed);
  await run({ status: "completed" });
  expect((await cron.state()).projects[0].failures).toBe(0);
  for (let count = 0; count < 5; count++) await run(failed);
  const { cron: record, projects } = await cron.state();
  expect(projects).toMatchObject([{ failures: 5, pausedReason: "It broke." }]);
  expect(record).toMatchObject({ enabled: false, slot: null, disabledReason: expect.stringContaining("paused") });
  expect(await cron.object().runNow({ projectIds: null, by: cron.by }, null)).toMatchObject({ code: "BAD_REQUEST" });
  const [projectId = ""] = cron.projectIds;
  expect(await cron.object().resumeProject({ projectId, zone: "UTC", by: cron.by })).toBeNull();
  expect((await cron.state()).cron).toMatchObject({ enabled: true, disabledReason: null });
  const { results } = await env.DB.prepare("SELECT enabled, next_slot FROM crons WHERE id = ?1").bind(cron.id).all();
  expect(results).toMatchObject([{ enabled: 1, next_slot: expect.any(Number) }]);
});

test("the resume of a project is recorded as that of the cron only if the cron was resumed too", async () => {
  const cron = await beginCron();
  const [projectId = ""] = cron.projectIds;
  const resume = () => cron.object().resumeProject({ projectId, zone: "UTC", by: cron.by });
  const fail = async () => {
    const [{ runId } = { runId: "" }] = await cron.runNow(cron.projectIds);
    await cron.end(runId, failed);
    await untilOver(cron, runId);
  };
  for (let count = 0; count < 5; count++) await fail();
  await resume();
  await resume();
  await cron.object().update({ changes: { enabled: false }, zone: "UTC", by: cron.by });
  await fail();
  await resume();
  const recorded = async () => {
    const statement = "SELECT payload FROM activity WHERE workspace_id = ?1 AND kind = 'cron_updated' ORDER BY seq";
    const { results } = await env.DB.prepare(statement).bind(cron.workspaceId).all<{ payload: string }>();
    return results.map(({ payload }) => JSON.parse(payload).change);
  };
  await expect.poll(recorded).toEqual(["resumed", "paused", "edited"]);
});

describe("a run", () => {
  test("that is stopped by a Deploy fails and counts for nothing; of two ends the first counts", async () => {
    const cron = await beginCron();
    const [{ runId } = { runId: "" }] = await cron.runNow();
    const run = getCronRunObject(env, runId);
    const replaced = {
      status: "failed",
      error: "Replaced.",
      errorCode: "main_replaced",
      source: "replaced",
      by: null,
    } as const;
    expect(await run.stop(replaced)).toBeNull();
    expect(await run.stop(replaced)).toMatchObject({ code: "BAD_REQUEST" });
    await untilOver(cron, runId);
    expect(await cron.rows()).toMatchObject([{ status: "failed", stop_source: "replaced" }]);
    expect((await cron.state()).projects[0].failures).toBe(0);
    expect(await env.DB.prepare("SELECT count(*) AS keys FROM keys WHERE turn_id = ?1").bind(runId).first("keys")).toBe(
      0,
    );
  });

  test("fails at its deadline, which counts", async () => {
    const cron = await beginCron();
    const [{ runId } = { runId: "" }] = await cron.runNow();
    await runInDurableObject(getCronRunObject(env, runId), (_, { storage }) =>
      storage.sql.exec("UPDATE reminders SET at = 1 WHERE name = 'deadline'"),
    );
    await runDurableObjectAlarm(getCronRunObject(env, runId));
    await untilOver(cron, runId);
    expect(await cron.rows()).toMatchObject([{ status: "failed", error_code: "deadline", stop_source: "deadline" }]);
    expect((await cron.state()).projects[0].failures).toBe(1);
  });

  test("is started again while its sandbox has no room", async () => {
    const cron = await beginCron();
    const sandbox = env.SANDBOX.getByName(`m${cron.projectIds[0]?.replaceAll("-", "").slice(0, 16)}`);
    await sandbox.behave("refuses");
    const [{ runId, status } = { runId: "" }] = await cron.runNow();
    expect(status).toBe("running");
    await expect.poll(() => sandbox.asked()).toContain(`start ${runId}`);
    await sandbox.behave("takes");
    await expect.poll(async () => (await sandbox.asked()).length).toBeGreaterThan(1);
    await cron.end(runId);
    await untilOver(cron, runId);
    expect(await cron.rows()).toMatchObject([{ status: "succeeded" }]);
  });

  test("has a key from its creation to its end, its Reply and its summary", async () => {
    const cron = await beginCron();
    const [{ runId } = { runId: "" }] = await cron.runNow();
    const keys = () => env.DB.prepare("SELECT kind, cron_id FROM keys WHERE turn_id = ?1").bind(runId).all();
    expect((await keys()).results).toEqual([{ kind: "cron-run", cron_id: cron.id }]);
    await cron.end(runId);
    await untilOver(cron, runId);
    expect((await keys()).results).toEqual([]);
    expect(await getCronRunObject(env, runId).read()).toMatchObject({ run: { status: "succeeded" } });
  });
});

test("a deleted project is taken out of its crons, and its run ends and counts for nothing", async () => {
  const cron = await beginCron();
  const [{ runId } = { runId: "" }] = await cron.runNow();
  await cron.object().deleteProject(cron.projectIds[0] ?? "");
  await untilOver(cron, runId);
  expect(await cron.rows()).toMatchObject([{ status: "failed", error_code: "project_deleted" }]);
  expect((await cron.state()).cron).toMatchObject({ enabled: false, slot: null, disabledReason: "No projects left" });
});

test("a new timezone moves the next slot", async () => {
  const cron = await beginCron();
  const { slot } = (await cron.state()).cron;
  await cron.object().updateZone("Asia/Tokyo");
  const { cron: moved } = await cron.state();
  expect(new Date(moved.slot).getUTCHours()).toBe(18);
  expect(moved.slot).not.toBe(slot);
});

test("a deleted cron is not found immediately; its runs and their objects are deleted after the response", async () => {
  const cron = await beginCron();
  const [{ runId } = { runId: "" }] = await cron.runNow();
  expect(await cron.object().delete(cron.by)).toBeNull();
  expect(await env.DB.prepare("SELECT id FROM crons WHERE id = ?1").bind(cron.id).first()).toBeNull();
  expect(await getCronRunObject(env, runId).isTurnLive({ turnId: runId, generation: 1 })).toBe(false);
  await expect.poll(cron.rows).toEqual([]);
  await expect.poll(() => getCronRunObject(env, runId).read()).toBeNull();
});
