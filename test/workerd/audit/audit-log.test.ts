// The audit log in the database and in storage: pages, the sweep that moves days, and failures.
import { env } from "cloudflare:workers";
import { afterEach, expect, test, vi } from "vitest";
import { writeAuditDay } from "../../../src/audit/archive.ts";
import { listAuditEvents } from "../../../src/audit/queries.ts";
import { readAuditLog } from "../../../src/audit/read.ts";
import { createAuditStatement, recordAuditEvent } from "../../../src/audit/record.ts";
import { getFirstIdAt } from "../../../src/audit/rules/retention.ts";
import { sweepAudit } from "../../../src/audit/sweep.ts";
import type { Env } from "../../../src/env.ts";
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

test("a day that was stored before its events were deleted is not stored twice", async () => {
  const at = now - 40 * day;
  const log = await createLog([at, at + hour]);
  const [late] = await listAuditEvents(env.DB, log.range, 1);
  if (!late) throw new Error("There is no event.");
  await writeAuditDay(service, { workspaceId: log.workspaceId, day: "2026-05-06" }, [late]);
  await sweep();
  expect((await log.readTimes(50)).times).toEqual([at + hour, at]);
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
  await writeAuditDay(service, { workspaceId: log.workspaceId, day: "2026-05-06" }, both.toReversed());
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
