// Failures around a run: it falls silent, its alarm is lost, its object or the database does not
// respond, and two ends race.
import { abortAllDurableObjects, evictDurableObject, runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, describe, expect, test, vi } from "vitest";
import { getCronRunObject } from "../../../durable-objects/address.ts";
import { CronRunObject } from "../../../durable-objects/cron-run/cron-run.ts";
import { projectDeleted } from "../../../src/cron/rules/project-pause.ts";
import { stopReplacedRuns } from "../../../src/cron/stop-runs.ts";
import { sweepCronRuns, sweepCrons } from "../../../src/cron/sweep.ts";
import { longestCronRunOpeningMs } from "../../../src/rules/limits.ts";
import { isRefusal } from "../../../src/rules/refusal.ts";
import { createWebhook } from "../../../src/webhook/webhooks.ts";
import { captureLog } from "../support/captured-log.ts";
import { beginCron, type CronDriver, minute, untilOver } from "../support/cron-driver.ts";
import { started as begun, dial } from "../support/session-driver.ts";
import { sweepWhole } from "../support/sweep-whole.ts";

afterEach(() => vi.restoreAllMocks());

const getSandbox = ({ projectIds }: CronDriver) =>
  env.SANDBOX.getByName(`m${projectIds[0]?.replaceAll("-", "").slice(0, 16)}`);
const inRun = (runId: string, ...[query, ...values]: [string, ...SqlStorageValue[]]) =>
  runInDurableObject(getCronRunObject(env, runId), (_, { storage }) => storage.sql.exec(query, ...values).toArray());
const readAlarm = (object: DurableObjectStub) => runInDurableObject(object, (_, { storage }) => storage.getAlarm());
const loseAlarm = (object: DurableObjectStub) => runInDurableObject(object, (_, { storage }) => storage.deleteAlarm());

/** A run whose agent works. */
async function workingRun(cron: CronDriver) {
  const [{ runId } = { runId: "" }] = await cron.runNow();
  await expect.poll(() => getSandbox(cron).asked()).toContain(`start ${runId}`);
  const link = await dial(getCronRunObject(env, runId) as never, runId, 1);
  await link.tell(1, begun);
  return { runId, run: getCronRunObject(env, runId), link };
}

async function failures({ state }: CronDriver): Promise<number> {
  return (await state()).projects[0].failures;
}

describe("a run that is running", () => {
  test("fails after a silence, counts, and leaves the sandbox to others that work in it", async () => {
    const cron = await beginCron();
    const { runId, run } = await workingRun(cron);
    const then = Date.now() - 20 * minute;
    await inRun(runId, "UPDATE links SET last_event_at = ?", then);
    await inRun(runId, "UPDATE turns SET created_at = ?, started_at = ?", then, then);
    await evictDurableObject(run);
    await inRun(runId, "UPDATE reminders SET at = 1 WHERE name = 'watch-turn'");
    await runDurableObjectAlarm(run);
    await untilOver(cron, runId);
    expect(await cron.rows()).toMatchObject([
      { status: "failed", error_code: "sandbox_lost", stop_source: "host_watch" },
    ]);
    expect(await failures(cron)).toBe(1);
    await expect.poll(() => getSandbox(cron).asked()).toContain(`release ${runId}`);
    expect((await getSandbox(cron).asked()).filter((one) => one.startsWith("discard"))).toEqual([]);
  });

  test.each([
    ["is ended by the sandbox", { status: "cancelled" }, { stop_source: "sandbox_abort", error_code: null }],
    [
      "is failed by its agent",
      { status: "failed", error: "It broke.", errorCode: "broke" },
      { stop_source: "runtime_error", error_code: "broke", error: "It broke." },
    ],
  ] as const)("%s", async (_, outcome, expected) => {
    const cron = await beginCron();
    const { runId, link } = await workingRun(cron);
    await link.tell(2, { type: "ended", outcome });
    await untilOver(cron, runId);
    expect(await cron.rows()).toMatchObject([{ status: "failed", ...expected }]);
    expect(await failures(cron)).toBe(1);
  });

  test("fails if a Deploy makes another sandbox live, counts for nothing, and continues during any other Deploy", async () => {
    const cron = await beginCron();
    const { runId } = await workingRun(cron);
    const [projectId = ""] = cron.projectIds;
    await stopReplacedRuns(env, projectId, `m${projectId.replaceAll("-", "").slice(0, 16)}`);
    expect(await cron.rows()).toMatchObject([{ status: "running" }]);
    await stopReplacedRuns(env, projectId, "another");
    await untilOver(cron, runId);
    expect(await cron.rows()).toMatchObject([
      { status: "failed", error_code: "main_replaced", stop_source: "replaced" },
    ]);
    expect(await failures(cron)).toBe(0);
  });

  test("is evicted and killed ten times, and completes", async () => {
    const cron = await beginCron();
    const { runId } = await workingRun(cron);
    for (let death = 1; death <= 10; death++) {
      await (death % 2 === 0
        ? abortAllDurableObjects()
        : evictDurableObject(getCronRunObject(env, runId), { webSockets: "close" }));
      const link = await dial(getCronRunObject(env, runId) as never, runId, 1);
      await link.tell(death + 1, { type: "log", lines: `line ${death}\n` });
    }
    const link = await dial(getCronRunObject(env, runId) as never, runId, 1);
    await link.tell(12, { type: "ended", outcome: { status: "completed" } });
    await untilOver(cron, runId);
    expect(await cron.rows()).toMatchObject([{ status: "succeeded", stop_source: null }]);
    const { log } = (await getCronRunObject(env, runId).diagnostics()) ?? {};
    expect(log?.match(/^line \d+$/gm)).toEqual(Array.from({ length: 10 }, (_, place) => `line ${place + 1}`));
  });
});

describe("of a deadline and a completion", () => {
  const passDeadline = async (runId: string) => {
    await inRun(runId, "INSERT INTO reminders (name, at) VALUES ('deadline', 1) ON CONFLICT DO UPDATE SET at = 1");
    await runDurableObjectAlarm(getCronRunObject(env, runId));
  };

  test("the completion counts if it came first", async () => {
    const cron = await beginCron();
    const { runId, link } = await workingRun(cron);
    await link.tell(2, { type: "ended", outcome: { status: "completed" } });
    await passDeadline(runId);
    await untilOver(cron, runId);
    expect(await cron.rows()).toMatchObject([{ status: "succeeded", error: null }]);
    expect(await failures(cron)).toBe(0);
  });

  test("the deadline counts if it came first", async () => {
    const cron = await beginCron();
    const { runId, link } = await workingRun(cron);
    await passDeadline(runId);
    link.send(2, { type: "ended", outcome: { status: "completed" } });
    await untilOver(cron, runId);
    expect(await getCronRunObject(env, runId).read()).toMatchObject({
      run: { status: "failed", stopSource: "deadline" },
    });
    expect(await cron.rows()).toMatchObject([{ status: "failed", error_code: "deadline" }]);
    expect(await failures(cron)).toBe(1);
  });
});

describe("a lost alarm", () => {
  test("of a cron is set again by the sweep once its slot is overdue, and the cron fires", async () => {
    const slot = Math.floor(Date.now() / (60 * minute)) * 60 * minute;
    const cron = await beginCron({ cronExpression: `0 ${new Date(slot).getUTCHours()} * * *` });
    await cron.makeDue(slot);
    await env.DB.prepare("UPDATE crons SET next_slot = ?2 WHERE id = ?1").bind(cron.id, slot).run();
    await loseAlarm(cron.object());
    await sweepWhole(sweepCrons, env, slot + minute);
    expect(await readAlarm(cron.object())).toBeNull();
    await sweepWhole(sweepCrons, env, slot + 3 * minute);
    await expect.poll(cron.rows).toMatchObject([{ slot, status: "running" }]);
  });

  test("of a run is set again by the sweep after its deadline, and the run fails", async () => {
    const cron = await beginCron();
    const { runId, run } = await workingRun(cron);
    await inRun(runId, "UPDATE reminders SET at = 1 WHERE name = 'deadline'");
    await loseAlarm(run);
    await sweepWhole(sweepCronRuns, env, Date.now() + 64 * minute);
    expect(await readAlarm(run)).toBeNull();
    await sweepWhole(sweepCronRuns, env, Date.now() + 66 * minute);
    await untilOver(cron, runId);
    expect(await cron.rows()).toMatchObject([{ status: "failed", stop_source: "deadline" }]);
  });
});

test("a webhook that cannot take a fire's events delays none of its runs", async () => {
  const cron = await beginCron({ projectCount: 2 });
  const [{ workspace_id: workspaceId } = { workspace_id: "" }] = (
    await env.DB.prepare("SELECT workspace_id FROM crons WHERE id = ?1").bind(cron.id).all<{ workspace_id: string }>()
  ).results;
  const draft = { name: "a", url: "https://hooks.example.com/a", events: ["*"], projects: null, includeText: false };
  const made = await createWebhook(env, { workspaceId, createdBy: "u", repeat: null, ...draft }, Date.now());
  if (isRefusal(made)) throw new Error(made.message);
  await env.DB.prepare("UPDATE webhooks SET sealed = 'broken' WHERE id = ?1").bind(made.row.id).run();
  await env.DB.prepare("UPDATE projects SET is_live = 0 WHERE id = ?1").bind(cron.projectIds[1]).run();
  const log = captureLog();
  expect(await cron.runNow()).toMatchObject([{ status: "running" }, { status: "failed" }]);
  await expect.poll(() => JSON.stringify(log)).toContain("no sealing key");
  expect((await cron.state()).inFlight).toMatchObject([{ isOpen: true }]);
});

describe("a run object that does not respond", () => {
  test("delays no other run, and its run fails in the end, with a row, and counts", async () => {
    const cron = await beginCron({ projectCount: 2 });
    const [silent, other] = cron.projectIds;
    const create = CronRunObject.prototype.create;
    captureLog();
    const creating = vi.spyOn(CronRunObject.prototype, "create").mockImplementation(async function (
      this: CronRunObject,
      run,
    ) {
      if (run.projectId === silent) await new Promise(() => {});
      return await create.call(this, run);
    });
    const firing = cron.runNow().catch(() => null);
    await expect.poll(cron.rows).toMatchObject([{ project_id: other, status: "running" }]);
    expect(await cron.object().delete(cron.by)).toMatchObject({ code: "CRON_RUN_STARTING" });
    const overdue = () => env.DB.prepare("SELECT next_slot FROM crons WHERE id = ?1").bind(cron.id).first("next_slot");
    // So that the sweep finds it, whatever its schedule.
    expect(await overdue()).toBeLessThanOrEqual(Date.now());

    creating.mockRejectedValue(new Error("told to throw"));
    const age = -longestCronRunOpeningMs;
    await cron.sql(
      "UPDATE effects SET due_at = 1, effect = json_set(effect, '$.opens[0].createdAt', ?)",
      Date.now() + age,
    );
    await abortAllDurableObjects();
    await cron.object().wake();
    await expect.poll(cron.rows).toHaveLength(2);
    const row = (await cron.rows()).find(({ project_id }) => project_id === silent);
    expect(row).toMatchObject({
      status: "failed",
      error_code: "deadline",
      error: expect.stringMatching(/^The run .*\.$/),
    });
    const { projects, inFlight } = await cron.state();
    expect(projects.map(({ failures }: { failures: number }) => failures)).toEqual([1, 0]);
    expect(inFlight).toMatchObject([{ projectId: other }]);
    await expect.poll(overdue).toBeGreaterThan(Date.now());
    await firing;

    // The call that was on its way to it all the time starts nothing.
    creating.mockRestore();
    const runId = String(row?.id);
    const { cronId, workspaceId, createdBy } = {
      cronId: cron.id,
      workspaceId: cron.workspaceId,
      createdBy: cron.userId,
    };
    await expect.poll(async () => (await cron.sql("SELECT key FROM effects")).length).toBe(0);
    await getCronRunObject(env, runId).create({
      ...{ runId, cronId, cronName: "nightly", workspaceId, createdBy, projectId: String(silent), projectName: "p" },
      ...{ slot: null, model: "anthropic:opus__low", mainSandboxKey: "m", branch: "main", createdAt: Date.now() },
      ...{ prompt: "Look around.", messageId: crypto.randomUUID() },
      bounds: { writer: null, isAskedByAgent: false },
    });
    expect(await getCronRunObject(env, runId).read()).toBeNull();
  });

  test("is stopped by the deletion of its project before it receives the run, which then ends", async () => {
    const cron = await beginCron();
    const [projectId = ""] = cron.projectIds;
    const create = CronRunObject.prototype.create;
    vi.spyOn(CronRunObject.prototype, "create").mockImplementation(async function (this: CronRunObject, run) {
      await cron.object().deleteProject(projectId);
      await this.stop(projectDeleted);
      return await create.call(this, run);
    });
    await cron.runNow();
    const ended = { status: "failed", error_code: "project_deleted", error: "The project was deleted." };
    await expect.poll(cron.rows).toMatchObject([ended]);
    expect(await cron.state()).toMatchObject({ inFlight: [], projects: [] });
    expect(await env.DB.prepare("SELECT 1 FROM keys WHERE project_id = ?1").bind(projectId).first()).toBeNull();
  });

  test("is visited again by a deletion, which deletes the rest", async () => {
    const cron = await beginCron({ projectCount: 2 });
    const runs = await cron.runNow();
    const [stuck] = runs;
    captureLog();
    const remove = CronRunObject.prototype.delete;
    const deleting = vi.spyOn(CronRunObject.prototype, "delete").mockImplementation(async function (
      this: CronRunObject,
    ) {
      const { run } = (await this.read()) ?? {};
      if (run?.id === stuck?.runId) throw new Error("told to throw");
      await remove.call(this);
    });
    expect(await cron.object().delete(cron.by)).toBeNull();
    await expect.poll(cron.rows).toMatchObject([{ id: stuck?.runId }]);
    deleting.mockRestore();
    await expect.poll(cron.rows).toEqual([]);
    expect(await getCronRunObject(env, stuck?.runId ?? "").read()).toBeNull();
  });
});

describe("a database that does not respond", () => {
  afterEach(() => env.DB.prepare("DROP TRIGGER IF EXISTS broken").run());
  const breaks = (when: string) =>
    env.DB.prepare(`CREATE TRIGGER broken BEFORE ${when} BEGIN SELECT RAISE(ABORT, 'told to break'); END`).run();

  test("while a run is created: it is created once, when the database is back", async () => {
    const cron = await beginCron();
    captureLog();
    await breaks("INSERT ON cron_runs");
    const firing = cron.runNow();
    await expect.poll(async () => (await cron.sql("SELECT attempts FROM effects"))[0]?.attempts).toBeGreaterThan(0);
    expect(await cron.rows()).toEqual([]);
    await env.DB.prepare("DROP TRIGGER broken").run();
    expect(await firing).toMatchObject([{ status: "running" }]);
    const [run] = await firing;
    expect(await cron.rows()).toMatchObject([{ id: run?.runId, status: "running" }]);
    const started = async () => (await getSandbox(cron).requests()).map(({ turnId }) => turnId);
    await expect.poll(started).toEqual([run?.runId]);
    await cron.end(run?.runId ?? "");
    await untilOver(cron, run?.runId ?? "");
    expect(await started()).toEqual([run?.runId]);
  });

  test("for the whole of a run: its row is written with its end, and its key is invalid", async () => {
    const cron = await beginCron();
    captureLog();
    await breaks("INSERT ON cron_runs");
    const firing = cron.runNow();
    const runId = () => cron.state().then(({ inFlight }) => inFlight[0]?.runId);
    await expect.poll(runId).toEqual(expect.any(String));
    const id = await runId();
    await expect.poll(() => getCronRunObject(env, id).read()).not.toBeNull();
    await inRun(id, "UPDATE reminders SET at = 1 WHERE name = 'deadline'");
    await runDurableObjectAlarm(getCronRunObject(env, id));
    expect(await getCronRunObject(env, id).read()).toMatchObject({ run: { status: "failed" } });
    await env.DB.prepare("DROP TRIGGER broken").run();
    await untilOver(cron, id);
    await firing;
    await expect.poll(cron.rows).toMatchObject([{ id, status: "failed", error_code: "deadline", is_opened: 1 }]);
    expect(await env.DB.prepare("SELECT count(*) AS n FROM keys WHERE turn_id = ?1").bind(id).first("n")).toBe(0);
  });
});
