// The audit log in the database and in storage: pages, the sweep that moves days, and failures.
import { env } from "cloudflare:workers";
import { afterEach, expect, test, vi } from "vitest";
import { deletePersonFromDay, listAuditParts, readAuditPart, writeAuditPart } from "../../../src/audit/archive.ts";
import { listAuditEvents } from "../../../src/audit/queries.ts";
import { readAuditLog } from "../../../src/audit/read.ts";
import { createAuditStatement, recordAuditEvent } from "../../../src/audit/record.ts";
import { getFirstIdAt } from "../../../src/audit/rules/retention.ts";
import { sweepAudit } from "../../../src/audit/sweep.ts";
import type { Env } from "../../../src/env.ts";
import { createId } from "../../../src/lib/ids.ts";
import { withMethods } from "../support/binding.ts";
import { captureLog } from "../support/captured-log.ts";
import { addMember, addUser, addWorkspaceWith } from "../support/people.ts";
import { sweepWhole } from "../support/sweep-whole.ts";

const service = env as unknown as Env;
const hour = 3_600_000;
const day = 24 * hour;
const now = Date.parse("2026-06-15T12:00:00Z");
const newestId = getFirstIdAt(now + day);
afterEach(() => vi.restoreAllMocks());

const event = (at: number, operation = "putSettings") => ({
  ...{
    at,
    operation,
    actor: { kind: "relay" as const },
    via: "relay" as const,
    keyId: null,
    target: {},
    address: null,
  },
});

/** Records one event at each time, and returns a reader of all pages. */
async function createLog(times: readonly number[]) {
  const workspaceId = `ws_${crypto.randomUUID()}`;
  for (const at of times) await recordAuditEvent(service, { workspaceId }, event(at));
  const range = { workspaceId, since: 0, until: now + day, before: newestId };
  async function readTimes(pageSize: number, part: Partial<typeof range> = {}) {
    const times: number[] = [];
    let before: string | null = newestId;
    let pages = 0;
    for (; before !== null; pages += 1) {
      const page = await readAuditLog(service, { ...range, before, ...part }, pageSize);
      times.push(...page.events.map(({ at }) => at));
      before = part.before === undefined ? page.before : null;
    }
    return { times, pages };
  }
  return { workspaceId, range, readTimes };
}

/** Other tests' events may be old too, so the sweep works through all of them. */
const sweep = (at = now) => sweepWhole(sweepAudit, service, at);

test("every event is on one page, newest first, also after the sweep has moved old days to storage", async () => {
  const times = [200, 199.5, 90, 60, 33, 31.2, 10, 1].map((days) => now - days * day);
  const log = await createLog(times);
  const newest = times.toReversed();
  for (const isSwept of [false, true]) {
    if (isSwept) await sweep();
    for (const pageSize of [1, 3, 50]) expect((await log.readTimes(pageSize)).times).toEqual(newest);
  }
  const left = await listAuditEvents(env.DB, log.range, 50);
  expect(left.map(({ at }) => at)).toEqual(newest.slice(0, 3));
});

test("a page reads ten stored days at most, and the next one continues", async () => {
  const times = Array.from({ length: 23 }, (_, place) => now - (60 + 2 * place) * day);
  const log = await createLog(times);
  await sweep();
  expect(await log.readTimes(50)).toEqual({ times, pages: 3 });
});

test("a range includes its start and excludes its end, in the database and in storage", async () => {
  const times = [100, 50, 2, 1].map((days) => now - days * day);
  const log = await createLog(times);
  await sweep();
  for (const [since, until] of [
    [now - 50 * day, now - day],
    [now - 100 * day, now - 50 * day],
  ] as const) {
    const { events } = await readAuditLog(service, { ...log.range, since, until }, 50);
    expect(events.map(({ at }) => at)).toEqual(times.filter((at) => at >= since && at < until).toReversed());
  }
});

/** The name of the part that has the oldest events of a log. */
async function findPart(range: Parameters<typeof listAuditEvents>[1]) {
  const oldest = (await listAuditEvents(env.DB, range, 100)).at(-1);
  if (!oldest) throw new Error("There is no event.");
  const day = new Date(oldest.at).toISOString().slice(0, 10);
  return { part: { workspaceId: range.workspaceId, day, firstId: oldest.id }, oldest };
}

const listKeys = async (workspaceId: string) =>
  (await env.STORE.list({ prefix: `audit/${workspaceId}/` })).objects.map(({ key }) => key);

test("a part that was stored before its events were deleted is not stored twice", async () => {
  const at = now - 40 * day;
  const log = await createLog([at, at + hour]);
  const { part, oldest } = await findPart(log.range);
  await writeAuditPart(service, part, [oldest], null);
  await sweep();
  expect(await listKeys(log.workspaceId)).toEqual([`audit/${log.workspaceId}/${part.day}/${part.firstId}.ndjson`]);
  expect((await log.readTimes(50)).times).toEqual([at + hour, at]);
});

/** Adds events, one second apart, by one statement. */
async function addMany(workspaceId: string, { at, count }: { at: number; count: number }) {
  const { at: _, ...details } = event(at);
  const rows = Array.from({ length: count }, (_, place) => ({ id: createId(at + place * 1_000), place }));
  await env.DB.prepare(
    `INSERT INTO audit_events (workspace_id, id, at, event)
     SELECT ?1, value ->> 'id', ?2 + 1000 * (value ->> 'place'), ?3 FROM json_each(?4)`,
  )
    .bind(workspaceId, at, JSON.stringify(details), JSON.stringify(rows))
    .run();
}

/** The service, with a storage whose calls a test sees, and may change. */
function createService(calls: Partial<Pick<R2Bucket, "get" | "put">>): Env {
  return { ...service, STORE: withMethods<R2Bucket>(service.STORE, calls) };
}

test("a busy day is stored in parts, and a page opens only those that it needs", async () => {
  const { workspaceId, range, readTimes } = await createLog([]);
  const from = Date.parse("2026-03-01T00:00:00Z");
  await addMany(workspaceId, { at: from, count: 1_201 });
  const times = Array.from({ length: 1_201 }, (_, place) => from + place * 1_000).toReversed();
  await sweepAudit(service, { now: from + 40 * day, after: "" });
  expect((await readTimes(200)).times).toEqual(times);
  await sweep();
  expect(await listAuditEvents(env.DB, range, 1)).toEqual([]);
  expect(await listKeys(workspaceId)).toHaveLength(3);
  expect((await readTimes(200)).times).toEqual(times);
  const opened: string[] = [];
  const watched = createService({
    get: ((key: string) => {
      opened.push(key);
      return service.STORE.get(key);
    }) as R2Bucket["get"],
  });
  const since = from + 600_000;
  const page = await readAuditLog(watched, { ...range, since, before: getFirstIdAt(from + 900_000) }, 200);
  expect(page.events.map(({ at }) => at)).toEqual(times.filter((at) => at < from + 900_000).slice(0, 200));
  expect(opened).toEqual([(await listKeys(workspaceId))[1]]);
});

test("a day of an earlier version is read, continued, cleaned of a deleted person, and deleted", async () => {
  const at = now - 100 * day;
  const log = await createLog([at, at + hour]);
  const { part, oldest } = await findPart(log.range);
  const actor = { kind: "member" as const, userId: "usr_1", name: "Ada Byron" };
  const key = `audit/${log.workspaceId}/${part.day}.ndjson`;
  await env.STORE.put(key, `${JSON.stringify({ ...oldest, actor })}\n`);
  await env.DB.prepare("DELETE FROM audit_events WHERE id = ?1").bind(oldest.id).run();
  await sweep();
  for (const pageSize of [1, 50]) expect((await log.readTimes(pageSize)).times).toEqual([at + hour, at]);
  const person = { id: "usr_1", names: ["Ada Byron"], addresses: [], login: null };
  expect(await deletePersonFromDay(service, part, person)).toBe(2);
  const { events } = await readAuditLog(service, log.range, 50);
  expect(events).toMatchObject([{ actor: { kind: "relay" } }, { actor: { ...actor, name: "Deleted user" } }]);
  await sweep(now + 400 * day);
  expect(await listKeys(log.workspaceId)).toEqual([]);
});

test("a day that cannot be stored stops neither the other workspaces nor the deletion of old days", async () => {
  const [broken, other, old] = [
    await createLog([now - 60 * day, now - 59 * day]),
    await createLog([now - 50 * day]),
    await createLog([now - 399 * day]),
  ];
  await sweepWhole(sweepAudit, createService({ put: refuseOf(broken.workspaceId) }), now);
  expect(await listKeys(other.workspaceId)).toHaveLength(1);
  const lines = captureLog();
  await sweepWhole(sweepAudit, createService({ put: refuseOf(broken.workspaceId) }), now + 2 * day);
  expect(lines).toMatchObject([
    { event: "audit.day_not_archived", workspaceId: broken.workspaceId, day: "2026-04-16", error: "full" },
  ]);
  expect(await listKeys(old.workspaceId)).toEqual([]);
  expect(await listAuditEvents(env.DB, broken.range, 5)).toHaveLength(2);
  await sweep();
  expect((await broken.readTimes(50)).times).toEqual([now - 59 * day, now - 60 * day]);
  expect(await listAuditEvents(env.DB, broken.range, 5)).toEqual([]);
});

/** A `put` that fails for the events of a workspace. */
function refuseOf(workspaceId: string): R2Bucket["put"] {
  return ((...call: Parameters<R2Bucket["put"]>) =>
    call[0].includes(workspaceId) ? Promise.reject(new Error("full")) : service.STORE.put(...call)) as R2Bucket["put"];
}

test("a person who is deleted while the sweep moves their events does not come back", async () => {
  const log = await createLog([now - 40 * day, now - 40 * day + hour]);
  const { oldest } = await findPart(log.range);
  const rename = (from: string, to: string) =>
    env.DB.prepare("UPDATE audit_events SET event = replace(event, ?2, ?3) WHERE workspace_id = ?1 AND id = ?4")
      .bind(log.workspaceId, from, to, oldest.id)
      .run();
  await rename("putSettings", "Ada Byron");
  const put = (async (...call: Parameters<R2Bucket["put"]>) => {
    const stored = await service.STORE.put(...call);
    if (call[0].includes(log.workspaceId)) await rename("Ada Byron", "Deleted user");
    return stored;
  }) as R2Bucket["put"];
  await sweepWhole(sweepAudit, createService({ put }), now);
  await sweep();
  const { events } = await readAuditLog(service, log.range, 50);
  expect(events.map(({ operation }) => operation)).toEqual(["putSettings", "Deleted user"]);
});

test("a sweep that is overtaken replaces no newer part", async () => {
  const log = await createLog([now - 40 * day]);
  const { part, oldest } = await findPart(log.range);
  const put = (async (...call: Parameters<R2Bucket["put"]>) => {
    const newer = [{ ...oldest, operation: "newer" }];
    if (call[0].includes(log.workspaceId)) await writeAuditPart(service, part, newer, null);
    return await service.STORE.put(...call);
  }) as R2Bucket["put"];
  await sweepWhole(sweepAudit, createService({ put }), now);
  const [stored] = await listAuditParts(service, part);
  expect(stored && (await readAuditPart(service, stored))).toMatchObject([{ operation: "newer" }]);
  expect(await listAuditEvents(env.DB, log.range, 5)).toHaveLength(1);
});

test("a day is deleted after 400 days", async () => {
  const log = await createLog([now - 399 * day, now - 100 * day]);
  await sweep();
  expect((await log.readTimes(50)).times).toHaveLength(2);
  await sweep(now + 2 * day);
  expect((await log.readTimes(50)).times).toEqual([now - 100 * day]);
  expect((await env.STORE.list({ prefix: `audit/${log.workspaceId}/` })).objects).toHaveLength(1);
});

test("a change of an account is in each workspace of its user", async () => {
  const userId = await addUser("Ada");
  const workspaces = (await Promise.all([addWorkspaceWith({}), addWorkspaceWith({})])).map(
    ({ workspaceId }) => workspaceId,
  );
  for (const workspaceId of workspaces) await addMember(workspaceId, userId, "member");
  await recordAuditEvent(service, { userId }, event(now, "createApiKey"));
  for (const workspaceId of workspaces) {
    const range = { workspaceId, since: 0, until: now + day, before: newestId };
    expect(await listAuditEvents(env.DB, range, 5)).toMatchObject([{ workspaceId, operation: "createApiKey" }]);
  }
});

test("a repeated request is recorded once in a day, and another one by itself", async () => {
  const { readTimes, workspaceId } = await createLog([]);
  const record = (at: number, repeat: string) => recordAuditEvent(service, { workspaceId }, { ...event(at), repeat });
  await record(now - 3 * hour, "one");
  await record(now - 2 * hour, "one");
  await record(now - hour, "two");
  await record(now + 22 * hour, "one");
  expect((await readTimes(50)).times).toEqual([now + 22 * hour, now - hour, now - 3 * hour]);
  const range = { workspaceId, since: 0, until: now + day, before: newestId };
  expect(JSON.stringify(await listAuditEvents(env.DB, range, 5))).not.toContain("repeat");
});

test("a repeat is looked up by an index, not in all events of a day", async () => {
  const explained = { prepare: (query: string) => env.DB.prepare(`EXPLAIN QUERY PLAN ${query}`) };
  const repeated = { ...event(now), repeat: "one" };
  const statement = createAuditStatement(explained as D1Database, { workspaceId: "ws_1" }, repeated);
  const { results } = await statement.all<{ detail: string }>();
  const steps = results.map(({ detail }) => detail).filter((detail) => detail.includes(" e "));
  expect(steps).toEqual([
    expect.stringMatching(/^SEARCH e USING .*INDEX audit_events_by_repeat .*workspace_id=\? AND <expr>=\? AND id>\?/),
  ]);
});

test("an event is on a page once while its day is moved", async () => {
  const log = await createLog([now - 40 * day, now - 40 * day + hour]);
  const both = await listAuditEvents(env.DB, log.range, 5);
  await writeAuditPart(service, (await findPart(log.range)).part, both.toReversed(), null);
  await env.DB.prepare("INSERT INTO audit_days (workspace_id, day) VALUES (?1, '2026-05-06')")
    .bind(log.workspaceId)
    .run();
  const { events } = await readAuditLog(service, log.range, 50);
  expect(events.map(({ id }) => id)).toEqual(both.map(({ id }) => id));
});

test("an event that cannot be recorded is logged, and does not fail the call", async () => {
  const lines = captureLog();
  const broken = {
    ...service,
    DB: { prepare: () => ({ bind: () => ({ run: () => Promise.reject(new Error("full")) }) }) },
  };
  await recordAuditEvent(broken as unknown as Env, { workspaceId: "ws_1" }, event(now));
  expect(lines).toMatchObject([
    { level: "error", event: expect.stringContaining('"operation":"putSettings"'), workspaceId: "ws_1", error: "full" },
  ]);
});
