// The activity feed compared with a bare feed of the same shape: with a month of events and with
// few, and for many workspaces and for one.
import type { World } from "../../practice/local-service.ts";
import type { Bare } from "../lib/bare.ts";
import { createHttpClient } from "../lib/http-client.ts";
import { type Finding, toComparedFinding } from "../lib/result.ts";
import { measureSideBySide, type Rounds, type Samples } from "../lib/samples.ts";

const bareBar = 1.5;
const manyEventsBar = 1.3;
const manyWorkspacesBar = 1.5;
const workspaces = 20;
const monthMs = 30 * 24 * 3_600_000;
const eventsPerStatement = 50_000;

export interface ActivitySize extends Rounds {
  few: number;
  many: number;
}

const feeds = [
  "feed page",
  "feed of one kind",
  "feed of one project",
  "feed of New events",
  "feed that marks",
] as const;
type Feed = (typeof feeds)[number];

/** Fills the activity of a world, and empties it at the end. */
export async function measureActivity(world: World, bare: Bare, size: ActivitySize): Promise<Finding[]> {
  const { database, users, workspaceId, projectId } = world;
  const owner = createHttpClient(world.baseUrl, { authorization: `Bearer ${users.owner.apiKey}` });
  const member = createHttpClient(world.baseUrl, { authorization: `Bearer ${users.member.apiKey}` });
  const queries: Record<Feed, string> = {
    "feed page": "",
    "feed of one kind": "kind=session_started",
    "feed of one project": `project=${projectId}`,
    "feed of New events": "unseen=true",
    "feed that marks": "markSeen=true",
  };
  const forgetMarks = async () => void (await database.prepare("DELETE FROM seen_marks").run());

  async function sampled(): Promise<Record<Feed, { own: Samples; bare: Samples }>> {
    const found: [Feed, { own: Samples; bare: Samples }][] = [];
    for (const feed of feeds) {
      const mark = feed === "feed that marks" ? "mark" : undefined;
      const sides = {
        own: async () => (await owner.get(`/api/activity?${queries[feed]}`)).ms,
        bare: async () => (await bare.feed(mark)).ms,
      };
      found.push([feed, await measureSideBySide(size, sides, mark && forgetMarks)]);
    }
    return Object.fromEntries(found) as Record<Feed, { own: Samples; bare: Samples }>;
  }

  try {
    await fill(world, size.few);
    const few = await sampled();
    await fill(world, size.many);
    const many = await sampled();
    await join(database, users.member.id, workspaceId);
    const sides = await measureSideBySide(size, {
      many: async () => (await member.get("/api/activity")).ms,
      one: async () => (await owner.get("/api/activity")).ms,
    });
    const events = size.many.toLocaleString("en");
    return [
      ...feeds.map((feed) =>
        toComparedFinding(`${feed}, against the bare feed`, few[feed].own, few[feed].bare, bareBar),
      ),
      ...feeds.map((feed) =>
        toComparedFinding(`${feed}, ${events} events, against few`, many[feed].own, few[feed].own, manyEventsBar),
      ),
      toComparedFinding(`feed page of ${workspaces} workspaces, against one`, sides.many, sides.one, manyWorkspacesBar),
    ];
  } finally {
    await empty(database);
    await leave(database);
    owner.close();
    member.close();
  }
}

/**
 * Replaces all activity with this many events in 30 days, half of them in the world's workspace and
 * project.
 */
async function fill({ database, workspaceId, projectId }: World, count: number): Promise<void> {
  const run = (statement: string, ...values: unknown[]) =>
    database
      .prepare(statement)
      .bind(...values)
      .run();
  await empty(database);
  const from = Date.now() - monthMs;
  for (let first = 0; first < count; first += eventsPerStatement) {
    await run(
      `WITH RECURSIVE past(n) AS (SELECT ?1 UNION ALL SELECT n + 1 FROM past WHERE n + 1 < ?2)
       INSERT INTO activity (id, workspace_id, project_id, project_name, kind, actor_id, subject, payload, created_at)
       SELECT printf('00000000-0000-7000-8000-%012d', n), iif(n % 2, 'ws_bench_' || (n / 2 % ${workspaces - 1}), ?3),
         iif(n % 2, 'project-' || (n % 7), ?4), 'Demo app',
         CASE n / 2 % 4 WHEN 0 THEN 'branch_behind' WHEN 1 THEN 'session_started' WHEN 2 THEN 'session_message_sent' ELSE 'pr_merged' END,
         iif(n / 2 % 4 IN (1, 2), 'usr_' || (n / 8 % 20), NULL), 'Fix the board', '{"from":"none","to":"high"}', ?5 + ?6 * n / ?7 FROM past`,
      ...[first, Math.min(first + eventsPerStatement, count), workspaceId, projectId, from, monthMs, count],
    );
  }
  for (const scope of ["workspace_id", "project_id"])
    for (const [actor, isCounted] of [
      ["''", "1"],
      ["actor_id", "actor_id IS NOT NULL"],
    ])
      await run(
        `INSERT INTO activity_counts (scope_id, actor_id, kind, hour, events)
         SELECT ${scope}, ${actor}, kind, created_at / 3600000, count(*) FROM activity WHERE ${isCounted} GROUP BY 1, 2, 3, 4`,
      );
}

async function empty(database: D1Database): Promise<void> {
  for (const table of ["activity", "activity_counts", "activity_daily_counts", "seen_marks"])
    await database.prepare(`DELETE FROM ${table}`).run();
}

/** Deletes the workspaces that `join` has created. */
async function leave(database: D1Database): Promise<void> {
  for (const [table, column] of [
    ["members", "workspace_id"],
    ["workspaces", "id"],
  ])
    await database.prepare(`DELETE FROM ${table} WHERE ${column} LIKE 'ws_bench_%'`).run();
}

/** Makes a user a member of all the other workspaces that have events. */
async function join(database: D1Database, userId: string, home: string): Promise<void> {
  const others = "SELECT DISTINCT workspace_id FROM activity WHERE workspace_id <> ?1";
  await database
    .prepare(
      `INSERT INTO workspaces (id, name, slug, plan, created_at) SELECT workspace_id, 'W', workspace_id, 'team', 0 FROM (${others})`,
    )
    .bind(home)
    .run();
  await database
    .prepare(
      `INSERT INTO members (workspace_id, user_id, role, joined_at) SELECT workspace_id, ?2, 'member', 0 FROM (${others})`,
    )
    .bind(home, userId)
    .run();
}
