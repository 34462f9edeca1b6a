// The sessions that a branch concerns are found without reading the others, however many a project
// has.
import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, it } from "vitest";
import { listSessionsAffectedByPush, listSessionsOnBranches } from "../../../src/session/queries/of-branch.ts";

const projects = [crypto.randomUUID(), crypto.randomUUID()] as const;
const repository = `Acme/${projects[0]}`;
/** A branch and an id of a repository that other tests do not use. */
const trunk = `trunk-${projects[0]}`;
const repositoryId = Number.parseInt(projects[0].slice(0, 8), 16);
const ended = 400;
const open = 6;

let rowsRead = 0;
/** The database, which counts the rows that each statement reads. */
const counted = {
  prepare: (sql: string) => ({
    bind: (...values: unknown[]) => ({
      async all() {
        const answer = await env.DB.prepare(sql)
          .bind(...values)
          .all();
        rowsRead = answer.meta.rows_read;
        return answer;
      },
    }),
  }),
} as unknown as D1Database;

async function addSessions(projectId: string, name: string, count: number, status: string, isBehind = false) {
  await env.DB.prepare(
    `WITH RECURSIVE place (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM place WHERE n < ?3)
     INSERT INTO sessions (id, workspace_id, project_id, title, status, priority, branch, target_branch, sandbox_key, is_behind, created_at, updated_at, queue_count)
     SELECT ?2 || '-' || n, 'ws_1', ?1, 'T', ?4, 'none', 'svc/' || ?2 || n, ?6, 's' || ?2 || n, ?5, n, n, 0 FROM place`,
  )
    .bind(projectId, name, count, status, isBehind ? 1 : 0, trunk)
    .run();
}

beforeAll(async () => {
  for (const id of projects)
    await env.DB.prepare(
      `INSERT INTO projects (id, workspace_id, name, repository, target_branch, deploy_status, settings, main_sandbox_key, created_at, updated_at)
       VALUES (?1, 'ws_1', 'P', ?2, 'main', 'deployed', '{}', 'm1', 0, 0)`,
    )
      .bind(id, id === projects[0] ? repository : `acme/${id}`)
      .run();
  await addSessions(projects[0], "ended", ended, "completed");
  await addSessions(projects[0], "open", open, "active");
  await addSessions(projects[0], "late", 2, "under-review", true);
  await addSessions(projects[1], "other", 3, "active");
});

describe("the session on a branch", () => {
  it("is found by the repository's name in any case, and no other row is read", async () => {
    expect(
      await listSessionsOnBranches(counted, { repository: repository.toLowerCase(), repositoryId }, [
        "svc/ended7",
        "svc/none",
      ]),
    ).toEqual(["ended-7"]);
    expect(rowsRead).toBeLessThan(10);
  });

  it("is not found for another repository", async () => {
    expect(await listSessionsOnBranches(counted, { repository, repositoryId }, ["svc/other1"])).toEqual([]);
    expect(
      await listSessionsOnBranches(counted, { repository: "nobody/nothing", repositoryId }, ["svc/open1"]),
    ).toEqual([]);
  });
});

describe("the sessions that a push affects", () => {
  const push = { repository, repositoryId, branch: trunk, isForced: false };
  const ids = (name: string, count: number) => Array.from({ length: count }, (_, place) => `${name}-${place + 1}`);

  it("are the open ones with it as Target Branch that are not behind it yet, and no other row is read", async () => {
    expect((await listSessionsAffectedByPush(counted, push, 100)).sort()).toEqual(ids("open", open));
    expect(rowsRead).toBeLessThan(60);
  });

  it("include those that are behind, if it was forced", async () => {
    const moved = await listSessionsAffectedByPush(counted, { ...push, isForced: true }, 100);
    expect(moved.sort()).toEqual([...ids("late", 2), ...ids("open", open)]);
  });

  it("are the one that works on it, behind or not, while that is open", async () => {
    expect(await listSessionsAffectedByPush(counted, { ...push, branch: "svc/late1" }, 100)).toEqual(["late-1"]);
    expect(await listSessionsAffectedByPush(counted, { ...push, branch: "svc/ended1" }, 100)).toEqual([]);
  });

  it("are limited in number, most recently changed first", async () => {
    expect(await listSessionsAffectedByPush(counted, push, 2)).toEqual([`open-${open}`, `open-${open - 1}`]);
  });
});

describe("of a project with a repository id", () => {
  const [, known] = projects;
  const bound = { repository: "acme/renamed-since", repositoryId: repositoryId + 1 };
  const another = { repository: `acme/${known}`, repositoryId: repositoryId + 2 };
  beforeAll(async () => {
    await env.DB.prepare("UPDATE projects SET repository_id = ?2 WHERE id = ?1").bind(known, bound.repositoryId).run();
  });

  it("sessions are found by the id, whatever the repository's name, and no other row is read", async () => {
    expect(await listSessionsOnBranches(counted, bound, ["svc/other1"])).toEqual(["other-1"]);
    const moved = await listSessionsAffectedByPush(counted, { ...bound, branch: trunk, isForced: false }, 100);
    expect(moved.sort()).toEqual(["other-1", "other-2", "other-3"]);
    expect(rowsRead).toBeLessThan(60);
  });

  it("none is found for another repository with its name", async () => {
    expect(await listSessionsOnBranches(counted, another, ["svc/other1"])).toEqual([]);
    expect(await listSessionsAffectedByPush(counted, { ...another, branch: trunk, isForced: true }, 100)).toEqual([]);
  });
});
