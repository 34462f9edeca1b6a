// The sweep of lost alarms: an object of every class that sets alarms and has no sweep of its own
// gets a lost one back within a day.
import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { beforeEach, expect, test } from "vitest";
import { getProjectObject, getWebhookInboxObject } from "../../../durable-objects/address.ts";
import type { Env } from "../../../src/env.ts";
import { sweepLostAlarms as sweepTable } from "../../../src/sweeps/lost-alarms.ts";
import { beginCron } from "../support/cron-driver.ts";
import { beginSession } from "../support/session-driver.ts";
import { sweepWhole } from "../support/sweep-whole.ts";

async function sweepLostAlarms(env: Env, now: number): Promise<void> {
  for (const table of ["sessions", "projects", "crons"] as const) await sweepWhole(sweepTable(table), env, now);
}

const hourMs = 60 * 60_000;
const bindings = env as unknown as Env;
const readAlarm = (object: DurableObjectStub) => runInDurableObject(object, (_, { storage }) => storage.getAlarm());

/** Makes an object that keeps reminders do something later, and loses its alarm. */
async function remindLater(object: DurableObjectStub, name: string): Promise<DurableObjectStub> {
  await runInDurableObject(object, async (_, { storage }) => {
    storage.sql.exec("INSERT OR REPLACE INTO reminders (name, at) VALUES (?, ?)", name, Date.now() + hourMs);
    await storage.deleteAlarm();
  });
  return object;
}

async function addProject(repositoryId: number | null): Promise<string> {
  const id = crypto.randomUUID();
  await env.DB.prepare(
    `INSERT INTO projects (id, workspace_id, name, repository, repository_id, target_branch, deploy_status, settings, main_sandbox_key, created_at, updated_at)
     VALUES (?1, 'ws_1', 'P', 'acme/app', ?2, 'main', 'deployed', '{}', 'm1', 0, 0)`,
  )
    .bind(id, repositoryId)
    .run();
  return id;
}

async function loseAlarmOfSession(): Promise<DurableObjectStub> {
  const session = await beginSession();
  await session.settled();
  return await remindLater(session.session(), "command-overdue");
}

async function loseAlarmOfProject(): Promise<DurableObjectStub> {
  return await remindLater(getProjectObject(bindings, await addProject(null)), "end-sandboxes");
}

async function loseAlarmOfCron(): Promise<DurableObjectStub> {
  return await remindLater((await beginCron()).object(), "fire");
}

async function loseAlarmOfInbox(): Promise<DurableObjectStub> {
  const repositoryId = 4_711;
  await addProject(repositoryId);
  const inbox = getWebhookInboxObject(bindings, repositoryId);
  await runInDurableObject(inbox, async (_, { storage }) => {
    storage.sql.exec(
      "INSERT INTO deliveries (id, webhook, received_at, attempts, due_at) VALUES ('d', NULL, ?1, 1, ?2)",
      Date.now(),
      Date.now() + hourMs,
    );
    await storage.deleteAlarm();
  });
  return inbox;
}

beforeEach(async () => {
  await env.DB.batch(
    ["sweep_marks", "crons", "projects", "sessions"].map((table) => env.DB.prepare(`DELETE FROM ${table}`)),
  );
});

test.each<[string, () => Promise<DurableObjectStub>]>([
  ["a session without a turn", loseAlarmOfSession],
  ["a project without a Deploy", loseAlarmOfProject],
  ["a cron that is not overdue", loseAlarmOfCron],
  ["the inbox of a repository", loseAlarmOfInbox],
])("the alarm of %s is set again", async (_, loseAlarm) => {
  const object = await loseAlarm();
  expect(await readAlarm(object)).toBeNull();
  await sweepLostAlarms(bindings, Date.now());
  expect(await readAlarm(object)).toEqual(expect.any(Number));
});

test("an object is woken once a day, and a session that was idle for long is not", async () => {
  const [session, resting] = [await loseAlarmOfSession(), await loseAlarmOfSession()];
  const now = Date.now();
  await env.DB.prepare("UPDATE sessions SET updated_at = 0 WHERE id = ?1").bind(resting.name).run();
  await sweepLostAlarms(bindings, now);
  for (const hours of [1, 23, 24]) {
    await runInDurableObject(session, (_, { storage }) => storage.deleteAlarm());
    await sweepLostAlarms(bindings, now + hours * hourMs);
    expect((await readAlarm(session)) !== null).toBe(hours === 24);
  }
  expect(await readAlarm(resting)).toBeNull();
});

test("a large table is read page by page, and no row is left out", async () => {
  const count = 450;
  const woken: string[] = [];
  await env.DB.prepare(
    `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${count})
     INSERT INTO projects (id, workspace_id, name, repository, target_branch, deploy_status, settings, main_sandbox_key, created_at, updated_at)
     SELECT printf('swept_%04d', i), 'ws_swept', 'P', 'acme/swept', 'main', 'deployed', '{}', 'm' || i, 0, 0 FROM n`,
  ).run();
  const PROJECT = { getByName: (id: string) => ({ wake: async () => void woken.push(id) }) };
  const watching = { ...env, PROJECT } as unknown as Env;
  for (let minute = 0; minute < 5; minute++) await sweepLostAlarms(watching, Date.now() + minute * 60_000);
  expect([woken.length, new Set(woken).size]).toEqual([count, count]);
});
