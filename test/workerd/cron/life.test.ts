// A cron's random life: it fires by its slots and by hand, its runs end and are stopped, it is
// edited, and its objects are evicted and killed after any of their writes. A simple model predicts
// every run.
import { abortAllDurableObjects, evictDurableObject, runDurableObjectAlarm } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import { getCronRunObject } from "../../../durable-objects/address.ts";
import type { RunStop } from "../../../src/cron/rules/run-status.ts";
import type { TurnOutcome } from "../../../src/sandbox-protocol/protocol.ts";
import { type RandomSource, randomSource } from "../../support/random-source.ts";
import { beginCron, untilOver } from "../support/cron-driver.ts";

interface InFlight {
  runId: string;
  projectId: string;
  isOpen: boolean;
}

const stops: RunStop[] = [
  { status: "cancelled", error: null, errorCode: null, source: "member_stop", by: null },
  { status: "failed", error: "Replaced.", errorCode: "main_replaced", source: "replaced", by: null },
];
const outcomes: TurnOutcome[] = [
  { status: "completed" },
  { status: "failed", error: "It broke.", errorCode: "broke" },
  { status: "failed", error: "It broke.", errorCode: "broke" },
  { status: "cancelled" },
];
const met = new Map<string, number>();

async function beginLife(random: RandomSource) {
  const cron = await beginCron({ projectCount: 2, cronExpression: "0 * * * *" });
  /** Failed runs in a row, by project. */
  const failures = new Map(cron.projectIds.map((id) => [id, 0]));
  const known = new Set<string>();
  const inFlight = async (): Promise<InFlight[]> => (await cron.state()).inFlight;

  /** Runs an action, and perhaps kills every object during it or right after it. */
  async function perhapsKilled(work: () => Promise<unknown>): Promise<void> {
    const working = work().catch(() => null);
    if (random.oneIn(3)) {
      await scheduler.wait(random.below(12));
      met.set("killed", (met.get("killed") ?? 0) + 1);
      await abortAllDurableObjects();
    }
    await working;
  }

  /** Ends a run, however often its objects die meanwhile. */
  async function endRun({ runId, projectId }: InFlight): Promise<void> {
    await expect
      .poll(async () => (await inFlight()).find((run) => run.runId === runId)?.isOpen, { interval: 10 })
      .toBe(true);
    const stop = random.oneIn(3) ? random.pick(stops as [RunStop, ...RunStop[]]) : null;
    const outcome = random.pick(outcomes as [TurnOutcome, ...TurnOutcome[]]);
    const isOver = async () => (await getCronRunObject(env, runId).read())?.run.status !== "running";
    do await perhapsKilled(async () => (stop ? getCronRunObject(env, runId).stop(stop) : cron.end(runId, outcome)));
    while (!(await isOver()));
    await untilOver(cron, runId);
    const isFailed = stop ? false : outcome.status !== "completed";
    if (isFailed) failures.set(projectId, (failures.get(projectId) ?? 0) + 1);
    else if (!stop) failures.set(projectId, 0);
  }

  const startOver = () => void cron.projectIds.forEach((id) => void failures.set(id, 0));
  const edit = async (changes: object) => {
    // A change is made once: it is not repeated after a kill.
    expect(await cron.object().update({ changes, zone: "UTC", by: cron.by })).toBeNull();
    startOver();
  };

  const deeds = {
    slot: () => perhapsKilled(() => cron.object().fireSlot(null)),
    async again() {
      const slots = (await cron.sql("SELECT slot, runs FROM fired_slots")) as { slot: number; runs: string }[];
      const one = slots[random.below(Math.max(1, slots.length))];
      if (one)
        expect((await cron.object().fireSlot(one.slot)) as { runId: string }[]).toHaveLength(
          JSON.parse(one.runs).length,
        );
    },
    async alarm() {
      await cron.sql("INSERT INTO reminders (name, at) VALUES ('fire', 1) ON CONFLICT DO UPDATE SET at = 1");
      await runDurableObjectAlarm(cron.object());
    },
    runNow: () =>
      perhapsKilled(() =>
        cron.object().runNow({ projectIds: random.oneIn(2) ? null : [cron.projectIds[0] ?? ""], by: cron.by }, null),
      ),
    async end() {
      const [run] = await inFlight();
      if (run) await endRun(run);
    },
    edit: () => edit({ name: "another" }),
    pause: () => edit({ enabled: false }),
    enable: () => edit({ enabled: true }),
    async sleep() {
      await cron.state();
      await evictDurableObject(cron.object());
    },
  };

  async function compare(): Promise<void> {
    const { projects, inFlight: going } = await cron.state();
    const counted = projects.map(({ projectId, failures: count }: { projectId: string; failures: number }) => [
      projectId,
      count,
    ]);
    expect(counted).toEqual([...failures]);
    const busy = going.map(({ projectId }: InFlight) => projectId);
    expect(new Set(busy).size).toBe(busy.length);
    for (const { runId } of going) known.add(runId);
  }

  return {
    async step() {
      const often = ["slot", "slot", "runNow", "end", "end", "end", "again", "sleep", "alarm"] as const;
      const deed = random.oneIn(8) ? random.pick(["edit", "pause", "enable"] as const) : random.pick(often);
      met.set(deed, (met.get(deed) ?? 0) + 1);
      await deeds[deed]();
      await compare();
    },
    /** Ends every run, and compares what is recorded with what happened. */
    async settle() {
      for (const run of await inFlight()) await endRun(run);
      await expect.poll(async () => (await cron.sql("SELECT key FROM effects")).length, { interval: 10 }).toBe(0);
      await compare();
      const rows = (await cron.rows()) as { id: string; project_id: string; slot: number | null; status: string }[];
      expect(rows.filter(({ status }) => status === "running")).toEqual([]);
      const recorded = new Set(rows.map(({ id }) => id));
      expect([...known].filter((id) => !recorded.has(id))).toEqual([]);
      const slots = rows.flatMap(({ project_id, slot }) => (slot === null ? [] : [`${project_id} ${slot}`]));
      expect(new Set(slots).size).toBe(slots.length);
      // Every run had its turn under the id of the run, and left no key.
      const turns = (
        await Promise.all(
          cron.projectIds.map((id) => env.SANDBOX.getByName(`m${id.replaceAll("-", "").slice(0, 16)}`).requests()),
        )
      ).flat();
      expect(turns.map(({ turnId }) => turnId).filter((id) => !known.has(id))).toEqual([]);
      const keys = "SELECT count(*) AS n FROM keys WHERE cron_id = ?1";
      expect(await env.DB.prepare(keys).bind(cron.id).first("n")).toBe(0);
      const counted =
        "SELECT status, sum(runs) AS n FROM cron_run_counts WHERE cron_id = ?1 GROUP BY 1 HAVING n > 0 ORDER BY 1";
      const real = "SELECT status, count(*) AS n FROM cron_runs WHERE cron_id = ?1 GROUP BY 1 ORDER BY 1";
      const [counts, facts] = await env.DB.batch([
        env.DB.prepare(counted).bind(cron.id),
        env.DB.prepare(real).bind(cron.id),
      ]);
      expect(counts?.results).toEqual(facts?.results);
    },
  };
}

test.for([1, 2, 3, 4])(
  "no run is lost or duplicated, and the counts are right, whatever dies after any write (%i)",
  async (seed) => {
    const life = await beginLife(randomSource(seed));
    for (let step = 0; step < 30; step++) await life.step();
    await life.settle();
  },
);

test("these lives contain every kind of event", () => {
  const kinds = ["slot", "again", "alarm", "runNow", "end", "edit", "pause", "enable", "sleep", "killed"];
  for (const kind of kinds) expect([kind, (met.get(kind) ?? 0) > 1]).toEqual([kind, true]);
});
