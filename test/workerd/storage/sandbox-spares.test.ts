// Spares in D1: which one a session gets, and that no other session gets it.
import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, test } from "vitest";
import { createShareLink, findShareLink, revokeShareLink } from "../../../src/preview/queries/share-links.ts";
import {
  claimSpare,
  deleteSpare,
  findPool,
  finishSpare,
  listSpareKeys,
  releaseSpare,
  type SpareClaim,
  startSpare,
} from "../../../src/sandbox/queries/spares.ts";

const database = env.DB;
const now = Date.now();
const program = "p1";
let workspaceId: string;
let projectId: string;

const run = (sql: string, ...values: unknown[]) =>
  database
    .prepare(sql)
    .bind(...values)
    .run();
const settings = '{"setup":[],"services":[],"env":{}}';

beforeEach(async () => {
  workspaceId = `ws_${crypto.randomUUID()}`;
  projectId = crypto.randomUUID();
  await run(
    "INSERT INTO workspaces (id, name, slug, timezone, plan, created_at) VALUES (?1, 'W', ?1, 'UTC', 'free', 0)",
    workspaceId,
  );
  await addProject(projectId);
});

const addProject = (id: string) =>
  run(
    `INSERT INTO projects (id, workspace_id, name, repository, target_branch, deploy_status, is_live, settings, main_sandbox_key, created_at, updated_at)
     VALUES (?1, ?2, 'App', 'acme/app', 'main', 'deployed', 1, ?3, 'm0', 0, 0)`,
    id,
    workspaceId,
    settings,
  );
const changeProject = (set: string) => run(`UPDATE projects SET ${set} WHERE id = ?1`, projectId);

const slot = (key: string, type: string, id: string, state = "running") =>
  run(
    "INSERT INTO sandbox_slots (sandbox_key, workspace_id, owner_type, owner_id, state, claimed_at) VALUES (?1, ?2, ?3, ?4, ?5, 0)",
    key,
    workspaceId,
    type,
    id,
    state,
  );
/** A ready spare. */
async function ready(of = projectId): Promise<string> {
  const sandboxKey = `s${crypto.randomUUID()}`;
  expect(await startSpare(database, { sandboxKey, projectId: of, program, commit: null, now })).toBe(true);
  await slot(sandboxKey, "spare", sandboxKey);
  expect(await finishSpare(database, sandboxKey, program)).toBe(true);
  return sandboxKey;
}
const claimed = (sessionId: string = crypto.randomUUID(), changes: Partial<SpareClaim> = {}) =>
  claimSpare(database, { sessionId, projectId, program, targetBranch: "main", now, ...changes });
const claim = async (...of: Parameters<typeof claimed>) => (await claimed(...of))?.sandboxKey ?? null;
const readOwner = (key: string) =>
  database
    .prepare("SELECT owner_type AS type, owner_id AS id, claimed_at AS since FROM sandbox_slots WHERE sandbox_key = ?1")
    .bind(key)
    .first();

test("a session gets a spare with its slot, and the slot's time counts from then on", async () => {
  const key = await ready();
  expect(await claim("session-1")).toBe(key);
  expect(await readOwner(key)).toEqual({ type: "session", id: "session-1", since: now });
  expect([await claim(), await listSpareKeys(database, projectId), await deleteSpare(database, key)]).toEqual([
    null,
    [],
    false,
  ]);
});

test("a spare is released unchanged, unless its sandbox has ended; then another session gets it", async () => {
  const key = await ready();
  const spare = await claimed("session-1");
  expect(spare && (await releaseSpare(database, spare, "session-1"))).toBe(true);
  expect(await readOwner(key)).toMatchObject({ type: "spare", id: key });
  expect(await findPool(database, { projectId, program })).toMatchObject({
    spares: [{ sandboxKey: key, state: "ready", commit: null, fits: true }],
  });
  const again = await claimed("session-2");
  expect(again).toEqual(spare);
  expect(again && (await releaseSpare(database, again, "session-1"))).toBe(false);
  await run("DELETE FROM sandbox_slots WHERE sandbox_key = ?1", key);
  expect(again && (await releaseSpare(database, again, "session-2"))).toBe(false);
  expect(await listSpareKeys(database, projectId)).toEqual([]);
});

test("a session whose preview has a public link keeps the sandbox of that link", async () => {
  await ready();
  await run(
    "INSERT INTO share_links (slug, project_id, session_id, sandbox_key, created_at) VALUES (?1, ?1, ?2, ?1, 0)",
    projectId,
    `shared-${projectId}`,
  );
  expect(await claim(`shared-${projectId}`)).toBeNull();
});

test("a link that is made while its session claims a spare is a link of the spare", async () => {
  const sandboxKey = await ready();
  const sessionId = `claiming-${projectId}`;
  expect(await claim(sessionId)).toBe(sandboxKey);
  const link = { slug: projectId, projectId, sessionId, sandboxKey: "before", createdBy: null };
  const made = await createShareLink(database, { ...link, createdAt: 0, lastViewedAt: null });
  expect(made).toEqual(await findShareLink(database, sandboxKey));
  await revokeShareLink(database, { projectId, sessionId });
  expect(await findShareLink(database, sandboxKey)).toBeNull();
});

test("of twenty concurrent claims each spare is given once", async () => {
  await run("UPDATE workspaces SET plan = 'enterprise' WHERE id = ?1", workspaceId);
  const keys = [await ready(), await ready(), await ready()];
  const claims = await Promise.all(Array.from({ length: 20 }, () => claim()));
  expect(claims.filter((key) => key !== null).sort()).toEqual(keys.sort());
});

describe("a spare is not given", () => {
  test.each<[string, () => Promise<unknown>]>([
    ["of changed settings", () => changeProject(`settings = '{"setup":["make"],"services":[],"env":{}}'`)],
    ["of another Target Branch", () => changeProject("target_branch = 'next'")],
    ["of a project that moved to another workspace", () => changeProject("workspace_id = 'ws_other'")],
    ["while a member deploys", () => changeProject("holds_sessions_up = 1")],
    ["of a project that is not live", () => changeProject("is_live = 0")],
    ["that was found dead", () => run("DELETE FROM sandbox_slots WHERE workspace_id = ?1", workspaceId)],
    [
      "of an older sandbox program",
      () => run("UPDATE sandbox_spares SET program = 'p0' WHERE project_id = ?1", projectId),
    ],
    ["that is not ready", () => run("UPDATE sandbox_spares SET state = 'making' WHERE project_id = ?1", projectId)],
  ])("%s", async (_, change) => {
    const key = await ready();
    await change();
    expect([await claim(), await listSpareKeys(database, projectId)]).toEqual([null, [key]]);
  });

  test("to a session on another branch, or of another project", async () => {
    await ready();
    expect(await claim("session-1", { targetBranch: "next" })).toBeNull();
    const other = crypto.randomUUID();
    await addProject(other);
    expect(await claim("s", { projectId: other })).toBeNull();
  });

  test("beyond the plan's sandboxes: it stays in the pool", async () => {
    const key = await ready();
    for (const id of ["1", "2", "3"]) await slot(`s${id}${projectId}`, "session", id);
    expect([await claim(), await readOwner(key)]).toEqual([null, { type: "spare", id: key, since: 0 }]);
    await run("DELETE FROM sandbox_slots WHERE sandbox_key = ?1", `s1${projectId}`);
    expect(await claim()).toBe(key);
  });
});

test("a spare that was started with settings which changed meanwhile never becomes ready", async () => {
  await startSpare(database, { sandboxKey: "s-late", projectId, program, commit: "c", now });
  await changeProject(`settings = '{"setup":["make"],"services":[],"env":{}}'`);
  expect(await finishSpare(database, "s-late", program)).toBe(false);
  expect(await findPool(database, { projectId, program })).toEqual({
    plan: "free",
    isLive: true,
    holdsSessionsUp: false,
    isBlockedOnBilling: false,
    isSuspended: false,
    keepsSpares: true,
    spares: [{ sandboxKey: "s-late", state: "making", commit: "c", fits: false }],
  });
  await changeProject(`settings = '{"setup":[],"services":[],"env":{},"warmPool":false}'`);
  expect(await findPool(database, { projectId, program })).toMatchObject({ keepsSpares: false });
  await changeProject("is_live = 0");
  expect(await startSpare(database, { sandboxKey: "s-later", projectId, program, commit: null, now })).toBe(false);
});
