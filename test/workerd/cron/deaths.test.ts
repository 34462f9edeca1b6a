// A cron or a run that dies right after a write, for each write of a fire, of a run's life and of a
// deletion: it leads to at most one run, which ends with its reason, and nothing is left.
import { runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, expect, test, vi } from "vitest";
import { getCronRunObject } from "../../../durable-objects/address.ts";
import type { TurnOutcome } from "../../../src/sandbox-protocol/protocol.ts";
import { getCronFolder } from "../../../src/storage/objects.ts";
import { captureLog } from "../support/captured-log.ts";
import { beginCron, type CronDriver, minute } from "../support/cron-driver.ts";
import { byTest, dieBehind, liveOn } from "../support/mortal-objects.ts";

afterEach(() => {
  liveOn();
  vi.restoreAllMocks();
});

const hour = 60 * minute;
const patienceMs = 120_000;
const failed: TurnOutcome = { status: "failed", error: "It broke.", errorCode: "broke" };

const getSandbox = ({ projectIds }: CronDriver) =>
  env.SANDBOX.getByName(`m${projectIds[0]?.replaceAll("-", "").slice(0, 16)}`);

/** The response of a dead object. */
async function orNull<Result>(asked: () => Promise<Result>): Promise<Result | null> {
  return await asked().catch(() => null);
}

/** Repeats what the platform and the sandbox do, until a condition is true. */
async function drive(what: string, step: () => Promise<unknown>, isSo: () => Promise<boolean>): Promise<void> {
  const giveUpAt = Date.now() + patienceMs;
  while (!(await orNull(isSo))) {
    if (Date.now() > giveUpAt) throw new Error(`not so: ${what}`);
    await orNull(step);
    await scheduler.wait(2);
  }
}

/** Lets an object continue: it wakes, repeats what failed, and its alarm fires. */
async function wake(object: DurableObjectStub, reminder: string): Promise<void> {
  await orNull(() =>
    runInDurableObject(object, (_, { storage }) => {
      storage.sql.exec(`${byTest} UPDATE effects SET due_at = 1 WHERE attempts > 0`);
      storage.sql.exec(`${byTest} UPDATE reminders SET at = 1 WHERE name = ?`, reminder);
    }),
  );
  await orNull(() => runDurableObjectAlarm(object));
}

const isQuiet = (object: DurableObjectStub) =>
  runInDurableObject(object, (_, { storage }) => storage.sql.exec("SELECT 1 FROM effects").toArray().length === 0);

async function leadLife(deadlyAt: number) {
  liveOn();
  const slot = Math.floor(Date.now() / hour) * hour;
  const cron = await beginCron({ cronExpression: `0 ${new Date(slot).getUTCHours()} * * *` });
  await cron.makeDue(slot);
  const { writes } = dieBehind(deadlyAt);

  await drive(
    "it opened",
    () => wake(cron.object(), ""),
    async () => (await cron.rows()).length > 0 && (await cron.state()).inFlight[0]?.isOpen === true,
  );
  const [row] = await cron.rows();
  const runId = String(row?.id);
  const run = () => getCronRunObject(env, runId) as unknown as DurableObjectStub;
  await drive(
    "its sandbox has it",
    () => wake(run(), "watch-turn"),
    async () => (await getSandbox(cron).asked()).includes(`start ${runId}`),
  );
  await drive(
    "it ended",
    () => cron.end(runId, failed),
    async () => (await getCronRunObject(env, runId).read())?.run.status === "failed",
  );
  await drive(
    "its cron counted it, and nothing is left to do",
    async () => {
      await wake(run(), "");
      await wake(cron.object(), "");
    },
    async () => (await cron.state()).inFlight.length === 0 && (await isQuiet(cron.object())) && (await isQuiet(run())),
  );
  return { cron, slot, runId, writes };
}

/** Runs a life without a death, and then one for each of its writes, after which it dies. */
async function behindEach<Life extends { writes: string[] }>(
  lead: (deadlyAt: number) => Promise<Life>,
  check: (life: Life, behind: string) => Promise<void>,
): Promise<string[]> {
  captureLog();
  const alive = await lead(-1);
  await check(alive, "nothing");
  const writes = [...alive.writes];
  let deaths = 0;
  for (const [place, write] of writes.entries()) {
    const life = await lead(place);
    if (life.writes.length > place) deaths += 1;
    await check(life, `${place}: ${write}`);
  }
  // Commits may be combined, so a life may have one write fewer than the first.
  expect(deaths).toBeGreaterThan(writes.length / 2);
  return writes;
}

test("after each write of a fire and of a run: one run, one row, one reason, counted once, and no key", async () => {
  const writes = await behindEach(leadLife, async ({ cron, slot, runId }, behind) => {
    const rows = (await cron.rows()).map(({ id, status, error, slot }) => ({ id, status, error, slot }));
    expect([behind, rows]).toEqual([behind, [{ id: runId, status: "failed", error: "It broke.", slot }]]);
    const { projects, cron: record } = await cron.state();
    expect([behind, projects[0].failures, record.lastRunStatus]).toEqual([behind, 1, "failed"]);
    const keys = await env.DB.prepare("SELECT count(*) AS n FROM keys WHERE cron_id = ?1").bind(cron.id).first("n");
    const shown = await env.DB.prepare("SELECT last_run_status FROM crons WHERE id = ?1").bind(cron.id).first();
    expect([behind, keys, shown]).toEqual([behind, 0, { last_run_status: "failed" }]);
    const turns = new Set((await getSandbox(cron).requests()).map(({ turnId }) => turnId));
    expect([behind, [...turns]]).toEqual([behind, [runId]]);
  });
  expect(new Set(writes)).toEqual(new Set(["a commit of the cron", "a commit of the run", "a batch of the cron"]));
}, 60_000);

async function leadDeletion(deadlyAt: number) {
  liveOn();
  const cron = await beginCron();
  const [{ runId } = { runId: "" }] = await cron.runNow();
  const run = () => getCronRunObject(env, runId) as unknown as DurableObjectStub;
  await env.STORE.put(`${getCronFolder(cron.id)}left`, "left");
  await expect.poll(async () => await isQuiet(run())).toBe(true);
  const { writes } = dieBehind(deadlyAt);
  await drive(
    "it is deleted",
    () => cron.object().delete(cron.by),
    async () => (await cron.state()) === null,
  );
  await drive(
    "nothing is left to do",
    async () => {
      await wake(run(), "");
      await wake(cron.object(), "");
    },
    async () => (await isQuiet(cron.object())) && (await getCronRunObject(env, runId).read()) === null,
  );
  return { cron, runId, writes };
}

test("after each write of a deletion: the run is stopped, and nothing of it or of the cron is left", async () => {
  const writes = await behindEach(leadDeletion, async ({ cron, runId }, behind) => {
    const { objects } = await env.STORE.list({ prefix: getCronFolder(cron.id) });
    expect([behind, await cron.rows(), objects]).toEqual([behind, [], []]);
    const kept = await env.DB.batch([
      env.DB.prepare("SELECT id FROM crons WHERE id = ?1").bind(cron.id),
      env.DB.prepare("SELECT id FROM keys WHERE cron_id = ?1").bind(cron.id),
    ]);
    expect([behind, ...kept.map(({ results }) => results)]).toEqual([behind, [], []]);
    expect([behind, await getCronRunObject(env, runId).isTurnLive({ turnId: runId, generation: 1 })]).toEqual([
      behind,
      false,
    ]);
    expect([behind, await cron.object().create(cron.command, cron.by)]).toMatchObject([behind, { code: "NOT_FOUND" }]);
  });
  expect(writes.length).toBeGreaterThan(3);
}, 60_000);
