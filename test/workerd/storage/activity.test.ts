// The activity of workspaces as it is stored: each event once and in order, its counts, and the
// Seen Marks of new members.
import { env } from "cloudflare:workers";
import { beforeEach, expect, test } from "vitest";
import { recordEvents, recordJoining, sweepActivity } from "../../../src/activity/record.ts";
import type { RecordedEvent } from "../../../src/activity/rules/activity.ts";
import { addWorkspaceWith } from "../support/people.ts";

const hour = 3_600_000;
const day = 24 * hour;
const month = 30 * day;
let workspaceId: string;
let member: string;
beforeEach(async () => {
  await env.DB.batch(
    ["activity", "activity_counts", "activity_daily_counts"].map((table) => env.DB.prepare(`DELETE FROM ${table}`)),
  );
  const made = await addWorkspaceWith({ member: "member" });
  workspaceId = made.workspaceId;
  member = made.users.member;
});

function event(id: string, changes: Partial<RecordedEvent> = {}): RecordedEvent {
  return {
    ...{ id: `${workspaceId} ${id}`, kind: "branch_behind", workspaceId, projectId: `${workspaceId} p` },
    ...{ sessionId: "s", doer: null, subject: "A test", payload: {} },
    ...changes,
  };
}

async function rows<Row extends object>(sql: string): Promise<Row[]> {
  return (await env.DB.prepare(sql).bind(workspaceId).all<Row>()).results;
}
const times = async () =>
  (await rows<{ created_at: number }>("SELECT created_at FROM activity WHERE workspace_id = ?1 ORDER BY seq")).map(
    ({ created_at }) => created_at,
  );
const counts = () =>
  rows<{ scope: string; actor: string; kind: string; events: number }>(
    `SELECT substr(scope_id, length(?1) + 1) AS scope, actor_id AS actor, kind, sum(events) AS events FROM activity_counts
     WHERE scope_id LIKE ?1 || '%' GROUP BY 1, 2, 3 ORDER BY 1, 2, 3`,
  );

/** Sets one time for everything that was written so far. */
async function date(createdAt: number): Promise<void> {
  await env.DB.batch([
    env.DB.prepare("UPDATE activity SET created_at = ?1").bind(createdAt),
    env.DB.prepare("UPDATE activity_counts SET hour = ?1").bind(Math.floor(createdAt / hour)),
    env.DB.prepare("UPDATE activity_daily_counts SET day = ?1").bind(Math.floor(createdAt / day)),
  ]);
}

test("an event that is written twice is stored once, and counts once", async () => {
  await recordEvents(env.DB, [event("1"), event("2")]);
  await recordEvents(env.DB, [event("1"), event("3")]);
  expect(await times()).toHaveLength(3);
  const counted = { actor: "", kind: "branch_behind", events: 3 };
  expect(await counts()).toEqual([
    { scope: "", ...counted },
    { scope: " p", ...counted },
  ]);
});

test("the daily counts are the sums of the hourly ones", async () => {
  const doer = { userId: member, source: null };
  await recordEvents(env.DB, [event("1"), event("2", { kind: "session_started", doer })]);
  await env.DB.prepare("UPDATE activity_counts SET hour = hour / 24 * 24 + 1").run();
  await recordEvents(env.DB, [event("3"), event("4", { kind: "session_started", doer })]);
  const hourly = `SELECT scope_id, actor_id, kind, hour / 24 AS day, sum(events) AS events FROM activity_counts
     WHERE scope_id LIKE ?1 || '%' GROUP BY 1, 2, 3, 4`;
  const daily = await rows("SELECT * FROM activity_daily_counts WHERE scope_id LIKE ?1 || '%' ORDER BY 1, 2, 3, 4");
  expect(daily).toHaveLength(6);
  expect(daily).toEqual(await rows(hourly));
});

test("of events that may occur only once, the first is stored", async () => {
  await recordEvents(env.DB, [event("1", { once: `${workspaceId} a` }), event("2", { once: `${workspaceId} b` })]);
  await recordEvents(env.DB, [event("3", { once: `${workspaceId} a` })]);
  expect(await times()).toHaveLength(2);
  expect((await counts())[0]?.events).toBe(2);
});

test("a member's event counts for everybody and for the member, only in the workspace if it is of no project", async () => {
  const doer = { userId: member, source: null };
  await recordEvents(env.DB, [event("1", { kind: "member_removed", projectId: null, doer })]);
  const counted = { scope: "", kind: "member_removed", events: 1 };
  expect(await counts()).toEqual([
    { ...counted, actor: "" },
    { ...counted, actor: member },
  ]);
});

test("time never runs backwards along the feed, whatever the clock says", async () => {
  const future = Date.now() + hour;
  await recordEvents(env.DB, [event("1")]);
  expect((await times())[0]).toBeGreaterThan(Date.now() - hour);
  await date(future);
  await recordEvents(env.DB, [event("2")]);
  expect(await times()).toEqual([future, future]);
});

test("events older than the feed shows are swept with their counts, a limited number at a time", async () => {
  // In the last hour of a day its counts would be deleted with those of the hour.
  const at = Math.floor(Date.now() / day) * day + 12 * hour;
  await recordEvents(env.DB, [event("1"), event("2"), event("3")]);
  await date(at);
  await sweepActivity(env.DB, at + month - 1, 2);
  expect(await times()).toHaveLength(3);
  await sweepActivity(env.DB, at + month, 2);
  expect(await times()).toHaveLength(1);
  expect(await counts()).toHaveLength(2);
  await sweepActivity(env.DB, at + month + hour, 1);
  expect(await counts()).toHaveLength(1);
  await sweepActivity(env.DB, at + month + hour, 1);
  expect(await counts()).toEqual([]);
  const days = () => rows("SELECT day FROM activity_daily_counts WHERE scope_id LIKE ?1 || '%'");
  const midnight = Math.ceil((at + 1) / day) * day;
  await sweepActivity(env.DB, midnight + month - 1, 9);
  expect(await days()).toHaveLength(2);
  await sweepActivity(env.DB, midnight + month, 1);
  expect(await days()).toHaveLength(1);
  await sweepActivity(env.DB, midnight + month, 1);
  expect(await days()).toEqual([]);
});

test("a position in the feed is never used again, although everything was swept", async () => {
  const places = () => rows<{ seq: number }>("SELECT seq FROM activity WHERE workspace_id = ?1");
  await recordEvents(env.DB, [event("1")]);
  const [first] = await places();
  await sweepActivity(env.DB, Date.now() + 2 * month, 10);
  await recordEvents(env.DB, [event("2")]);
  const [second] = await places();
  expect(second?.seq).toBeGreaterThan(first?.seq ?? Number.NaN);
});

test("the Seen Mark of a new member is at the newest event, and never moves back", async () => {
  const marks = () => rows<{ seq: number }>("SELECT seq FROM seen_marks WHERE workspace_id = ?1");
  const join = () =>
    env.DB.batch([
      env.DB.prepare("UPDATE members SET joined_at = 1 WHERE user_id = ?1").bind(member),
      recordJoining(env.DB, { workspaceId, userId: member }),
    ]);
  await recordEvents(env.DB, [event("1"), event("2")]);
  await join();
  const newest = await rows<{ seq: number }>("SELECT max(seq) AS seq FROM activity WHERE workspace_id = ?1");
  expect(await marks()).toEqual(newest);
  await sweepActivity(env.DB, Date.now() + 2 * month, 10);
  await join();
  expect(await marks()).toEqual(newest);
});
