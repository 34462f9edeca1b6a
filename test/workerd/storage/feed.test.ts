// The feed as the database reads it: pages, totals and Seen Marks, compared with a list that is
// filtered by hand.
import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, test } from "vitest";
import { readFeed, saveSeenMarks } from "../../../src/activity/queries.ts";
import { recordEvents, sweepActivity } from "../../../src/activity/record.ts";
import { type ActivityKind, activityKinds, changeKinds } from "../../../src/activity/rules/activity.ts";
import { type Feed, isNew, parseFeed } from "../../../src/activity/rules/feed.ts";
import { isRefusal } from "../../../src/rules/refusal.ts";
import { randomSource } from "../../support/random-source.ts";
import { addMember, addUser, addWorkspaceWith } from "../support/people.ts";

const hour = 3_600_000;
const now = Date.now();
let home: string;
let second: string;
let elsewhere: string;
let ada: string;
let bob: string;
const projects: Record<string, string> = {};
const run = (sql: string, ...values: unknown[]) =>
  env.DB.prepare(sql)
    .bind(...values)
    .run();

beforeEach(async () => {
  for (const table of ["activity", "activity_counts", "activity_daily_counts", "seen_marks"])
    await run(`DELETE FROM ${table}`);
  const made = await addWorkspaceWith({ ada: "owner", bob: "member" });
  [home, ada, bob] = [made.workspaceId, made.users.ada, made.users.bob];
  second = (await addWorkspaceWith({ carol: "owner" })).workspaceId;
  elsewhere = (await addWorkspaceWith({ dora: "owner" })).workspaceId;
  await addMember(second, ada, "member");
  for (const workspaceId of [home, second, elsewhere]) {
    const id = crypto.randomUUID();
    projects[workspaceId] = id;
    await run(
      `INSERT INTO projects (id, workspace_id, name, repository, target_branch, deploy_status, settings, main_sandbox_key, created_at, updated_at)
       VALUES (?1, ?2, 'P', 'a/b', 'main', 'deployed', '{}', ?1, 0, 0)`,
      id,
      workspaceId,
    );
  }
});

interface Made {
  seq: number;
  id: string;
  workspaceId: string;
  projectId: string | null;
  kind: ActivityKind;
  actorId: string | null;
  createdAt: number;
}
const columns =
  "seq, id, workspace_id AS workspaceId, project_id AS projectId, kind, actor_id AS actorId, created_at AS createdAt";
const all = async () => (await env.DB.prepare(`SELECT ${columns} FROM activity ORDER BY seq`).all<Made>()).results;

let count = 0;
async function tell(changes: Partial<Made> = {}): Promise<string> {
  const { workspaceId = home, kind = "branch_behind", actorId = null } = changes;
  const { projectId = projects[workspaceId] ?? null } = changes;
  const id = `event-${++count}`;
  const doer = actorId === null ? null : { userId: actorId, source: null };
  await recordEvents(env.DB, [{ id, workspaceId, projectId, sessionId: null, kind, doer, subject: null, payload: {} }]);
  return id;
}

/** Spreads the existing events over the time up to now, in their order. */
async function spread(overMs: number): Promise<void> {
  await run(
    "UPDATE activity SET created_at = ?1 - ?2 + ?2 * (SELECT count(*) FROM activity o WHERE o.seq <= activity.seq) / (SELECT count(*) FROM activity)",
    now,
    overMs,
  );
  for (const table of ["activity_counts", "activity_daily_counts"]) await run(`DELETE FROM ${table}`);
  await run(
    `INSERT INTO activity_counts (scope_id, actor_id, kind, hour, events)
     SELECT scope.value, actor.value, kind, created_at / ${hour}, count(*)
     FROM activity a, json_each(json_array(workspace_id, project_id)) scope, json_each(json_array('', actor_id)) actor
     WHERE scope.value IS NOT NULL AND actor.value IS NOT NULL GROUP BY 1, 2, 3, 4`,
  );
}

const asked = { unseen: false, markSeen: false, limit: 50 };
function feed(changes: Partial<Parameters<typeof parseFeed>[0]> = {}): Feed {
  const read = parseFeed({ ...asked, ...changes }, "api-key", now + 1);
  if (isRefusal(read)) throw new Error(read.message);
  return read;
}
const read = (
  changes: Partial<Parameters<typeof parseFeed>[0]> = {},
  userId = ada,
  workspaceId: string | null = null,
) => readFeed(env.DB, { userId, workspaceId }, feed(changes));
const ids = ({ events }: Awaited<ReturnType<typeof read>>) => events.map(({ id }) => id);
const mark = async (userId: string) => ids(await read({ markSeen: true, limit: 200 }, userId));
const marks = async () => (await env.DB.prepare("SELECT * FROM seen_marks ORDER BY 1, 2").all()).results;

describe("against a list", () => {
  const { pick, below } = randomSource(7);

  beforeEach(async () => {
    for (let made = 0; made < 120; made++) {
      const workspaceId = pick([home, home, second, elsewhere]);
      const kind = pick(activityKinds);
      const isChange = changeKinds.some((change) => change === kind);
      const actorId = isChange ? null : pick([ada, bob]);
      const projectId = pick([projects[workspaceId] ?? null, null, crypto.randomUUID()]);
      await tell({ workspaceId, kind, actorId, projectId });
    }
    await spread(45 * 24 * hour);
  });

  test("every filter keeps, counts and pages what it should, once and in order", async () => {
    const events = await all();
    const seen = events[60]?.seq ?? 0;
    await run("INSERT INTO seen_marks (workspace_id, user_id, seq) VALUES (?1, ?2, ?3)", home, ada, seen);
    for (let round = 0; round < 60; round++) {
      const workspace = pick([undefined, undefined, home, second]);
      const project = pick([undefined, undefined, projects[workspace ?? home]]);
      const kind = pick([undefined, "change", "action", "pr_merged", "session_started,member_invited,branch_behind"]);
      const since = pick([undefined, "3h", "1d", "7d", "29d"]);
      const unseen = pick([true, false]);
      const bound = pick([null, null, home]);
      const wanted = { workspace, project, kind, since, unseen, limit: 1 + below(40) };
      const { kinds, since: from } = feed(wanted);
      const kept = events.filter((event) => {
        const seenSeq = event.workspaceId === home ? seen : 0;
        return (
          [home, second].includes(event.workspaceId) &&
          (bound ?? event.workspaceId) === event.workspaceId &&
          (workspace ?? event.workspaceId) === event.workspaceId &&
          (project ?? event.projectId) === event.projectId &&
          (kinds ?? activityKinds).includes(event.kind) &&
          event.createdAt >= from &&
          (!unseen || isNew(event, { seenSeq, userId: ada }))
        );
      });
      const expected = (unseen ? kept : kept.reverse()).map(({ id }) => id);
      const paged: string[] = [];
      let request = feed(wanted);
      for (let hasMore = true; hasMore; ) {
        const page = await readFeed(env.DB, { userId: ada, workspaceId: bound }, request);
        expect(page.total).toBe(expected.length);
        expect(page.workspaces).toHaveLength(bound === null ? 2 : 1);
        paged.push(...ids(page));
        hasMore = page.hasMore;
        request = { ...request, behind: page.events.at(-1)?.seq ?? null };
      }
      expect(paged).toEqual(expected);
    }
  });

  test("a sweep under a pager takes what is old, and shifts nothing", async () => {
    const first = await read({ limit: 10 });
    await sweepActivity(env.DB, now + 15 * 24 * hour, 1_000);
    await tell();
    const rest = await readFeed(
      env.DB,
      { userId: ada, workspaceId: null },
      {
        ...feed({ limit: 200 }),
        behind: first.events.at(-1)?.seq ?? null,
      },
    );
    const left = (await all()).filter(({ workspaceId }) => workspaceId !== elsewhere).map(({ id }) => id);
    expect([...ids(first), ...ids(rest)]).toEqual(left.reverse().slice(1));
  });
});

describe("the Seen Mark", () => {
  test("each reader sees each of the other's events once, and none of their own", async () => {
    const toldBy: Record<string, string[]> = { [ada]: [], [bob]: [] };
    const seen: Record<string, string[]> = { [ada]: [], [bob]: [] };
    const readOnce = async (who: string) => void seen[who]?.push(...ids(await read({ markSeen: true, limit: 3 }, who)));
    for (let change = 0; change < 20; change++) {
      const by = change % 3 === 0 ? bob : ada;
      toldBy[by]?.push(await tell({ kind: "session_started", actorId: by }));
      await readOnce(change % 2 === 0 ? ada : bob);
    }
    for (let round = 0; round < 8; round++) for (const who of [ada, bob]) await readOnce(who);
    expect(seen[ada]).toEqual(toldBy[bob]);
    expect(seen[bob]).toEqual(toldBy[ada]);
  });

  test("of 40 concurrent calls, with events in between, no event is returned twice and none is lost", async () => {
    const told: Promise<string>[] = [];
    const pages: ReturnType<typeof read>[] = [];
    for (let call = 0; call < 40; call++) {
      told.push(tell({ workspaceId: call % 3 === 0 ? second : home }));
      pages.push(read({ markSeen: true, limit: 2 }));
    }
    const seen = (await Promise.all(pages)).flatMap(ids);
    const made = await Promise.all(told);
    for (let page = await read({ markSeen: true, limit: 2 }); page.events.length > 0; ) {
      seen.push(...ids(page));
      page = await read({ markSeen: true, limit: 2 });
    }
    expect(seen.sort()).toEqual(made.sort());
  });

  test("moves only in the workspaces that were read, and never back", async () => {
    await tell({ workspaceId: home });
    await tell({ workspaceId: second });
    expect(await read({ markSeen: true, workspace: second })).toMatchObject({ total: 1, hasMore: false });
    expect(ids(await read({ unseen: true }))).toHaveLength(1);
    const before = await marks();
    await sweepActivity(env.DB, now + 60 * 24 * hour, 100);
    expect(await mark(ada)).toEqual([]);
    expect(await marks()).toEqual(expect.arrayContaining(before));
    const late = await tell({ workspaceId: second });
    expect(await mark(ada)).toEqual([late]);
  });

  test("of a full page is at its last event, otherwise at the end, past one's own", async () => {
    const told = [await tell(), await tell(), await tell()];
    await tell({ kind: "session_started", actorId: ada });
    expect(await read({ markSeen: true, limit: 2 })).toMatchObject({ hasMore: true, total: 3 });
    expect(await read({ markSeen: true, limit: 2 })).toMatchObject({ hasMore: false, total: 1 });
    const [newest] = (await all()).slice(-1);
    expect(await marks()).toEqual(
      [home, second].sort().map((id) => ({ workspace_id: id, user_id: ada, seq: newest?.seq })),
    );
    expect(ids(await read({ unseen: true }, bob)).slice(0, 3)).toEqual(told);
  });

  test("of a workspace that the caller is not in, or a key does not reach, stays where it is", async () => {
    await tell({ workspaceId: elsewhere });
    await tell({ workspaceId: second });
    expect(await read({ markSeen: true, workspace: elsewhere })).toMatchObject({ events: [], total: 0 });
    expect(await read({ markSeen: true, workspace: second }, ada, home)).toMatchObject({ events: [] });
    expect(await marks()).toEqual([]);
    expect(await mark(await addUser("nobody"))).toEqual([]);
  });
});

test("an event has the current names, and no link once its session is deleted", async () => {
  const sessionId = crypto.randomUUID();
  await run(
    `INSERT INTO sessions (id, workspace_id, project_id, title, status, priority, target_branch, sandbox_key, is_behind, queue_count, created_at, updated_at)
     VALUES (?1, ?2, ?3, 'S', 'active', 'none', 'main', ?1, 0, 0, 0, 0)`,
    sessionId,
    home,
    projects[home],
  );
  const doer = { userId: bob, source: { kind: "lead" as const } };
  const about = { workspaceId: home, projectId: projects[home] ?? null, sessionId, subject: "Then" };
  await recordEvents(env.DB, [{ id: crypto.randomUUID(), ...about, kind: "session_started", doer, payload: { a: 1 } }]);
  await run("UPDATE users SET name = 'Robert' WHERE id = ?1", bob);
  const [event] = (await read()).events;
  expect(event).toMatchObject({
    ...{ actorId: bob, actorName: "Robert", source: { kind: "lead" }, subject: "Then", payload: { a: 1 } },
    ...{ isSessionThere: true, projectName: "P", workspaceName: "Acme" },
  });
  await run("DELETE FROM sessions WHERE id = ?1", sessionId);
  expect((await read()).events).toMatchObject([{ isSessionThere: false, sessionId }]);
});

test("marks move past an event, of one workspace or of all, and never back", async () => {
  const [first, later, foreign] = [
    await tell({ workspaceId: home }),
    await tell({ workspaceId: home }),
    await tell({ workspaceId: elsewhere }),
  ];
  const findSeq = async (id: string) => (await all()).find((event) => event.id === id)?.seq;
  const marks = async () =>
    Object.fromEntries(
      (
        await env.DB.prepare("SELECT workspace_id AS id, seq FROM seen_marks WHERE user_id = ?1").bind(ada).all()
      ).results.map(({ id, seq }) => [id, seq]),
    );
  expect(await saveSeenMarks(env.DB, { userId: ada, workspaceId: home, through: later })).toBe(true);
  expect(await saveSeenMarks(env.DB, { userId: ada, workspaceId: home, through: first })).toBe(true);
  expect(await marks()).toEqual({ [home]: await findSeq(later) });
  expect(await saveSeenMarks(env.DB, { userId: ada, workspaceId: null, through: first })).toBe(true);
  expect(await marks()).toEqual({ [home]: await findSeq(later), [second]: await findSeq(first) });
  for (const [workspaceId, through] of [
    [null, foreign],
    [elsewhere, first],
    [home, "none"],
  ] as const)
    expect(await saveSeenMarks(env.DB, { userId: ada, workspaceId, through })).toBe(false);
});
