// The objects of sweeps: each page is an invocation of its own with few calls, a large or hanging
// sweep takes nothing from another, and each continues where it stopped.
import { abortAllDurableObjects, applyD1Migrations, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { getSweepObject } from "../../../durable-objects/address.ts";
import { recordZoneChange } from "../../../src/cron/queries/zone-changes.ts";
import { type SweepName, sweepNames } from "../../../src/sweeps/rules/sweep-name.ts";
import { captureLog } from "../support/captured-log.ts";
import { countAlarms } from "../support/counted-calls.ts";

const count = 1_100;
const minute = 60_000;
/** The first minute of an hour, in which every sweep looks for something. */
const now = Math.floor(Date.now() / (60 * minute)) * 60 * minute;
const callsPerPage = 50;
const until = (read: () => unknown) => expect.poll(read, { timeout: 120_000, interval: 20 });
const object = (name: SweepName) => getSweepObject(env, name);
const isOver = (name: SweepName) =>
  runInDurableObject(object(name) as DurableObjectStub, (_, { storage }) => storage.kv.get("round") === undefined);

beforeEach(async () => {
  await env.DB.batch([
    ...["crons", "removals", "sweep_marks"].map((table) => env.DB.prepare(`DELETE FROM ${table}`)),
    env.DB.prepare("DELETE FROM workspaces WHERE id = 'ws_swept'"),
  ]);
});
afterEach(async () => {
  vi.restoreAllMocks();
  await abortAllDurableObjects();
});

/** Adds crons that are overdue, and stay so. */
async function addOverdueCrons(): Promise<void> {
  await env.DB.batch([
    env.DB.prepare(
      `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${count})
       INSERT INTO crons (id, workspace_id, created_by, name, prompt, search_text, cron_expression, enabled, next_slot, created_at, updated_at)
       SELECT printf('cron_%05d', i), 'ws_swept', 'u', 'C', 'P', '', '0 3 * * *', 1, 0, 0, 0 FROM n`,
    ),
    env.DB.prepare("INSERT INTO removals (type, id, projects, created_at) VALUES ('workspace', 'ws_gone', '[]', 0)"),
  ]);
}

/** Objects of crons that record who wakes them. */
function noteWoken(wake: (id: string) => Promise<void> = async () => {}) {
  const woken: string[] = [];
  const zones = new Set<string>();
  const CRON = {
    getByName: (id: string) => ({
      async wake() {
        await wake(id);
        woken.push(id);
      },
      async updateZone(zone: string) {
        zones.add(zone);
        woken.push(id);
      },
    }),
  };
  return { woken, zones, bindings: { ...env, CRON } };
}

test("a sweep with very much to do wakes each once, in pages of few calls", async () => {
  await addOverdueCrons();
  const { woken, bindings } = noteWoken();
  const alarms = await countAlarms(object("crons"), bindings);
  await object("crons").tick("crons", now);
  expect(woken.length).toBeLessThan(callsPerPage);
  await until(() => isOver("crons")).toBe(true);
  expect([woken.length, new Set(woken).size]).toEqual([count, count]);
  expect(alarms.length).toBeGreaterThan(count / callsPerPage);
  expect(Math.max(...alarms)).toBeLessThanOrEqual(callsPerPage);
});

test("when a sweep last finished is known once its round has ended", async () => {
  await addOverdueCrons();
  await countAlarms(object("crons"), noteWoken().bindings);
  await runInDurableObject(object("crons") as DurableObjectStub, (_, { storage }) => storage.kv.delete("finishedAt"));
  await object("crons").tick("crons", now);
  expect(await object("crons").findLastRound()).toBeNull();
  await until(() => isOver("crons")).toBe(true);
  expect(await object("crons").findLastRound()).toEqual(expect.any(Number));
});

test("a sweep that hangs keeps no other from its work", async () => {
  await addOverdueCrons();
  const { bindings } = noteWoken(() => new Promise(() => {}));
  await countAlarms(object("crons"), bindings);
  void object("crons")
    .tick("crons", now)
    .catch(() => undefined);
  const started: string[] = [];
  const DELETION = { getByName: (id: string) => ({ start: async () => void started.push(id) }) };
  await countAlarms(object("removals"), { ...env, DELETION });
  await object("removals").tick("removals", now);
  expect(started).toEqual(["workspace ws_gone"]);
  expect([await isOver("crons"), await isOver("removals")]).toEqual([false, true]);
});

test("a sweep that dies between pages continues after the last, and one of a lost alarm by the next tick", async () => {
  captureLog();
  await addOverdueCrons();
  const first = noteWoken((id) => (id > "cron_00100" ? new Promise(() => {}) : Promise.resolve()));
  await countAlarms(object("crons"), first.bindings);
  await object("crons").tick("crons", now);
  await until(() => first.woken.length).toBe(100);
  await abortAllDurableObjects();
  const second = noteWoken();
  await countAlarms(object("crons"), second.bindings);
  await runInDurableObject(object("crons") as DurableObjectStub, (_, { storage }) => storage.deleteAlarm());
  await object("crons").tick("crons", now + minute);
  await until(() => isOver("crons")).toBe(true);
  const woken = new Set([...first.woken, ...second.woken]);
  expect([woken.size, second.woken.length]).toEqual([count, count - 80]);
});

test("a page that fails is logged by name and repeated by the next tick; one that fails twice starts its round again", async () => {
  await addOverdueCrons();
  const { woken, bindings } = noteWoken();
  let fails = false;
  const DB = {
    ...bindings.DB,
    withSession: () => {
      if (fails) throw new Error("D1_ERROR: gone");
      return env.DB.withSession("first-unconstrained");
    },
  };
  await runInDurableObject(object("crons") as DurableObjectStub, async (one, { storage }) => {
    const own = one.alarm?.bind(one);
    Object.assign(one, { env: { ...bindings, DB }, alarm: async () => (fails ? undefined : await own?.()) });
    storage.kv.put("round", { name: "crons", now, after: "cron_01000", hasFailed: false });
  });
  const said = captureLog();
  fails = true;
  await object("crons").tick("crons", now + minute);
  expect(said).toEqual([{ level: "warn", event: "sweep.failed", sweep: "crons", error: "D1_ERROR: gone" }]);
  fails = false;
  await object("crons").tick("crons", now + 2 * minute);
  await until(() => isOver("crons")).toBe(true);
  expect(woken.length).toBe(100);
  await runInDurableObject(object("crons") as DurableObjectStub, (_, { storage }) =>
    storage.kv.put("round", { name: "crons", now, after: "cron_01000", hasFailed: true }),
  );
  fails = true;
  await object("crons").tick("crons", now + 3 * minute);
  fails = false;
  await object("crons").tick("crons", now + 4 * minute);
  await until(() => isOver("crons")).toBe(true);
  expect(woken.length).toBe(100 + count);
});

test("every cron of a workspace plans by its new timezone, in pages", async () => {
  await addOverdueCrons();
  await env.DB.prepare(
    "INSERT INTO workspaces (id, name, slug, timezone, plan, created_at) VALUES ('ws_swept', 'W', 'swept', 'Asia/Tokyo', 'free', 0)",
  ).run();
  await recordZoneChange(env.DB, "ws_swept", now);
  const { woken, zones, bindings } = noteWoken();
  const alarms = await countAlarms(object("changed timezones"), bindings);
  await object("changed timezones").tick("changed timezones", now);
  await until(() => isOver("changed timezones")).toBe(true);
  expect([woken.length, new Set(woken).size, [...zones]]).toEqual([count, count, ["Asia/Tokyo"]]);
  expect(Math.max(...alarms)).toBeLessThanOrEqual(callsPerPage);
  expect((await env.DB.prepare("SELECT sweep FROM sweep_marks").all()).results).toEqual([]);
});

test("each sweep of the schedule runs to its end if there is nothing to do", async () => {
  await applyD1Migrations(env.EMPTY_DB, env.MIGRATIONS);
  for (const name of sweepNames) {
    await runInDurableObject(object(name) as DurableObjectStub, (one) => {
      Object.assign(one, { env: { ...env, DB: env.EMPTY_DB } });
    });
    await object(name).tick(name, now);
    expect([name, await isOver(name)]).toEqual([name, true]);
  }
});
