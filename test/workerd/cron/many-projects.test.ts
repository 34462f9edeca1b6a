// A cron over 490 projects: its runs are created in pages, each in an invocation of its own, and a
// crash between pages loses none.
import { abortAllDurableObjects, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, expect, test, vi } from "vitest";
import { writeCronStatements } from "../../../src/cron/queries/writes.ts";
import type { CronState } from "../../../src/cron/rules/cron.ts";
import type { RunToBegin } from "../../../src/cron/rules/run.ts";
import { captureLog } from "../support/captured-log.ts";
import { beginCron, type CronDriver } from "../support/cron-driver.ts";
import { standInForRuns } from "../support/mortal-objects.ts";

afterEach(() => {
  standInForRuns(null);
  vi.restoreAllMocks();
});

const count = 490;
const perPage = 50;
const until = (read: () => unknown) => expect.poll(read, { timeout: 100_000, interval: 20 });

/** Objects of runs that record their calls. */
function noteRuns(answers: () => boolean = () => true) {
  const [begun, started, stopped]: string[][] = [[], [], []];
  const removed: string[] = [];
  const seen = { calls: 0 };
  const silent = new Promise<void>(() => {});
  const noted = (list: string[] | undefined, runId: string) => {
    seen.calls += 1;
    list?.push(runId);
  };
  standInForRuns((runId) => ({
    async create(run: RunToBegin) {
      if (!answers()) return await silent;
      noted(begun, run.runId);
    },
    start: async () => noted(started, runId),
    stop: async () => noted(stopped, runId),
    read: async () => null,
    delete: async () => void removed.push(runId),
  }));
  return { begun, started, stopped, removed, seen };
}

/** The calls of each alarm from now on. */
async function countCalls(cron: CronDriver, count: () => number): Promise<number[]> {
  const alarms: number[] = [];
  await runInDurableObject(cron.object() as DurableObjectStub, (object) => {
    const own = object.alarm?.bind(object);
    object.alarm = async () => {
      const before = count();
      await own?.();
      alarms.push(count() - before);
    };
  });
  return alarms;
}

const notOpen = async (cron: CronDriver) =>
  (await cron.state()).inFlight.filter(({ isOpen }: { isOpen: boolean }) => !isOpen).length;
const countRows = async (cron: CronDriver) => (await cron.rows()).length;

test("each run is created and started once, fifty in an invocation; they are stopped in the same way", {
  timeout: 120_000,
}, async () => {
  const cron = await beginCron({ projectCount: count });
  const { begun, started, stopped, seen } = noteRuns();
  const alarms = await countCalls(cron, () => seen.calls);
  await cron.makeDue(Date.now() - 1_000);
  await cron.alarm();
  await until(() => notOpen(cron)).toBe(0);
  await until(() => started?.length).toBe(count);
  expect([begun?.length, new Set(begun).size]).toEqual([count, count]);
  await until(() => countRows(cron)).toBe(count);
  expect(Math.max(...alarms)).toBeLessThanOrEqual(2 * perPage);
  await cron.object().delete(cron.by);
  await until(() => new Set(stopped).size).toBe(count);
  expect(Math.max(...alarms)).toBeLessThanOrEqual(2 * perPage);
  await until(() => countRows(cron)).toBe(0);
});

test("a cron that dies between pages creates the others", { timeout: 120_000 }, async () => {
  captureLog();
  const cron = await beginCron({ projectCount: count });
  const first = noteRuns(() => (first.begun?.length ?? 0) < 3 * perPage);
  await cron.makeDue(Date.now() - 1_000);
  await cron.alarm();
  await until(() => first.started?.length).toBe(3 * perPage);
  await abortAllDurableObjects();
  const second = noteRuns();
  await cron.object().wake();
  await until(() => notOpen(cron)).toBe(0);
  const begun = [...(first.begun ?? []), ...(second.begun ?? [])];
  expect([begun.length, new Set(begun).size]).toEqual([count, count]);
});

test("the runs of a deleted cron are deleted in pages, too", { timeout: 120_000 }, async () => {
  const cron = await beginCron();
  const { removed } = noteRuns();
  const alarms = await countCalls(cron, () => removed.length);
  await env.DB.prepare(
    `WITH RECURSIVE place (at) AS (VALUES (1) UNION ALL SELECT at + 1 FROM place WHERE at < ?4)
     INSERT INTO cron_runs (id, cron_id, workspace_id, project_id, project_name, status, is_opened, created_at)
     SELECT ?1 || at, ?1, ?2, ?3, 'p', 'failed', 1, 0 FROM place`,
  )
    .bind(cron.id, cron.workspaceId, cron.projectIds[0], count)
    .run();
  await cron.object().delete(cron.by);
  await until(() => countRows(cron)).toBe(0);
  expect([removed.length, new Set(removed).size]).toEqual([count, count]);
  // The first page is deleted after the response, the others by alarms.
  expect(Math.max(...alarms)).toBeGreaterThan(0);
  expect(Math.max(...alarms)).toBeLessThanOrEqual(200);
});

test("the end of a run writes only the rows of projects that it changes", async () => {
  const cron = await beginCron({ projectCount: 3 });
  const written = async (state: CronState) =>
    (await env.DB.batch(writeCronStatements(env.DB, state))).at(-1)?.meta.changes;
  const state: CronState = await cron.state();
  expect(await written(state)).toBe(0);
  const [first, ...others] = state.projects;
  if (!first) throw new Error("no project");
  const ended = { ...state, projects: [{ ...first, lastRunStatus: "failed" as const }, ...others] };
  expect([await written(ended), await written(ended), await written(state)]).toEqual([1, 0, 1]);
});
