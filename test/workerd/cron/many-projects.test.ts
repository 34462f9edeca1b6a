// A cron over 490 projects: its runs are created in pages, each in an invocation of its own, and a
// crash between pages loses none.
import { abortAllDurableObjects, runInDurableObject } from "cloudflare:test";
import { afterEach, expect, test, vi } from "vitest";
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
  const seen = { calls: 0 };
  const silent = new Promise<void>(() => {});
  const noted = (list: string[] | undefined, runId: string) => {
    seen.calls += 1;
    list?.push(runId);
  };
  standInForRuns((runId) => ({
    async begin(run: RunToBegin) {
      if (!answers()) return await silent;
      noted(begun, run.runId);
    },
    start: async () => noted(started, runId),
    stop: async () => noted(stopped, runId),
    read: async () => null,
    remove: async () => undefined,
  }));
  return { begun, started, stopped, seen };
}

/** The calls of each alarm from now on. */
async function countCalls(cron: CronDriver, seen: { calls: number }): Promise<number[]> {
  const alarms: number[] = [];
  await runInDurableObject(cron.object() as DurableObjectStub, (object) => {
    const own = object.alarm?.bind(object);
    object.alarm = async () => {
      const before = seen.calls;
      await own?.();
      alarms.push(seen.calls - before);
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
  const alarms = await countCalls(cron, seen);
  await cron.makeDue(Date.now() - 1_000);
  await cron.alarm();
  await until(() => notOpen(cron)).toBe(0);
  await until(() => started?.length).toBe(count);
  expect([begun?.length, new Set(begun).size]).toEqual([count, count]);
  await until(() => countRows(cron)).toBe(count);
  expect(Math.max(...alarms)).toBeLessThanOrEqual(2 * perPage);
  await cron.object().remove(cron.by);
  await until(() => new Set(stopped).size).toBe(count);
  expect(Math.max(...alarms)).toBeLessThanOrEqual(2 * perPage);
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
