// The deletion of a project: it is not found from the first moment on, its turns are stopped first,
// and nothing of it is left in the end, whatever dies in between. The workspace and its other
// projects continue.
import { evictDurableObject, runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { getDeletionObject } from "../../../durable-objects/address.ts";
import { findAccess } from "../../../src/access/queries.ts";
import { createPrototype } from "../../../src/artifact/prototypes.ts";
import { sweepDeletions } from "../../../src/deletion/sweep.ts";
import { issueAgentToken } from "../../../src/key/queries/keys.ts";
import { getKeyHash } from "../../../src/lib/base64url.ts";
import { listWorkspaceProjects } from "../../../src/project/queries.ts";
import { deleteProject } from "../../../src/project/update.ts";
import { listSlotHolders } from "../../../src/sandbox/queries/slots.ts";
import { listSessions } from "../../../src/session/queries/lists.ts";
import { captureLog } from "../support/captured-log.ts";
import { issueApiKey } from "../support/issued-keys.ts";
import { addWorkspaceWith } from "../support/people.ts";
import { beginSession } from "../support/session-driver.ts";
import { sweepWhole } from "../support/sweep-whole.ts";

const hour = 60 * 60_000;
let workspaceId: string;
let memberId: string;
let projectId: string;
let otherId: string;
const mainSandboxKey = () => `m${projectId.replaceAll("-", "").slice(0, 16)}`;
const removal = () => getDeletionObject(env, { type: "project", id: projectId });
const until = (read: () => Promise<unknown>) => expect.poll(read, { interval: 20 });

async function run(sql: string, ...values: unknown[]): Promise<Record<string, unknown>[]> {
  const { results } = await env.DB.prepare(sql)
    .bind(...values)
    .all();
  return results;
}

async function addProject(): Promise<string> {
  const id = crypto.randomUUID();
  await run(
    `INSERT INTO projects (id, workspace_id, name, repository, target_branch, deploy_status, settings, main_sandbox_key, created_at, updated_at)
     VALUES (?1, ?2, 'P', 'a/b', 'main', 'deployed', '{}', ?3, 0, 0)`,
    id,
    workspaceId,
    `m${id.replaceAll("-", "").slice(0, 16)}`,
  );
  return id;
}

beforeEach(async () => {
  const made = await addWorkspaceWith({ member: "member" });
  workspaceId = made.workspaceId;
  memberId = made.users.member;
  [projectId, otherId] = [await addProject(), await addProject()];
});
afterEach(() => vi.restoreAllMocks());

async function begin(ofProject: string) {
  const driver = await beginSession(null, { workspaceId, projectId: ofProject });
  await driver.settled();
  return driver;
}

/** Sessions whose objects are empty, as an interrupted deletion leaves them. */
async function addTraces(count: number): Promise<void> {
  await run(
    `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?3)
     INSERT INTO sessions (id, workspace_id, project_id, title, status, priority, target_branch, sandbox_key, is_behind, queue_count,
       created_at, updated_at)
     SELECT ?1 || i, ?2, ?1, 'S', 'active', 'none', 'main', ?1 || i, 0, 0, 0, 0 FROM n`,
    projectId,
    workspaceId,
    count,
  );
}

/** Deletes the project without a call to its object. */
async function removeUnheard() {
  const { DB, WORKSPACE_EVENTS } = env;
  const deaf = {
    DB,
    WORKSPACE_EVENTS,
    DELETION: { getByName: () => ({ start: () => Promise.reject(new Error("gone")) }) },
  };
  captureLog();
  // The deletion calls only this of the binding.
  expect(await deleteProject(deaf as unknown as typeof env, { id: projectId, workspaceId }, Date.now())).toBeNull();
}

/** Runs one page, in an object that has just been loaded. */
async function runPage(): Promise<void> {
  await runInDurableObject(removal(), async (_, { storage }) => {
    storage.kv.put("name", { type: "project", id: projectId });
    // Far in the future, so that the test decides when.
    await storage.setAlarm(Date.now() + hour);
  });
  await evictDurableObject(removal());
  expect(await runDurableObjectAlarm(removal())).toBe(true);
}

const countRows = async (table: string) =>
  (await run(`SELECT count(*) AS count FROM ${table} WHERE project_id = ?1`, projectId))[0]?.count;

async function listed(): Promise<string[]> {
  const filter = { workspaceIds: [], projectIds: [], statuses: [], assignee: null, search: "", needsYou: false };
  const query = { projectId: null, filter, page: 1, pageSize: 25 };
  const lists = [
    await listSessions(env.DB, { reach: { kind: "workspace", workspaceId }, ...query }),
    await listSessions(env.DB, { reach: { kind: "memberships", userId: memberId }, ...query }),
    await listSessions(env.DB, {
      reach: { kind: "memberships", userId: memberId },
      ...query,
      filter: { ...filter, workspaceIds: [workspaceId] },
    }),
  ];
  for (const { summaries, total } of lists) expect(total).toBe(summaries.length);
  const ids = lists.map(({ summaries }) => summaries.map(({ session }) => session.id).sort());
  expect(ids[1]).toEqual(ids[0]);
  expect(ids[2]).toEqual(ids[0]);
  return ids[0] ?? [];
}

test("the project and its sessions are immediately not found or listed, and its secrets and its agents' tokens are gone", async () => {
  const [session, other] = [await begin(projectId), await begin(otherId)];
  const { token } = await issueApiKey(env.DB, { userId: memberId, name: "k", expiresAt: null }, 0);
  const grant = { workspaceId, turnId: crypto.randomUUID(), userId: memberId, expiresAt: Date.now() + hour };
  const agent = await issueAgentToken(env.DB, { ...grant, sessionId: session.id }, 0);
  const agentElsewhere = await issueAgentToken(env.DB, { ...grant, sessionId: other.id }, 0);
  expect(await listed()).toEqual([session.id, other.id].sort());
  for (const id of [projectId, otherId])
    await run(
      `INSERT INTO network_secrets (project_id, name, sealed, only_to, "as", placeholder, created_at, updated_at)
       VALUES (?1, 'KEY', 'k1.sealed', '["api.example.com"]', 'header', 'svc_held_x', 0, 0)`,
      id,
    );
  await removeUnheard();
  const ofBoth = "SELECT project_id AS id FROM network_secrets WHERE project_id IN (?1, ?2)";
  expect(await run(ofBoth, projectId, otherId)).toEqual([{ id: otherId }]);
  const params = { workspaceId, projectId, sessionId: session.id };
  for (const noun of ["project", "session"] as const)
    expect(await findAccess(env.DB, await getKeyHash(token), { noun, params })).toMatchObject({ unknown: "project" });
  expect(await findAccess(env.DB, await getKeyHash(agent), { noun: "workspace", params })).toBeNull();
  expect(await findAccess(env.DB, await getKeyHash(agentElsewhere), { noun: "workspace", params })).not.toBeNull();
  expect(await listed()).toEqual([other.id]);
  expect((await listWorkspaceProjects(env.DB, workspaceId)).map(({ id }) => id)).toEqual([otherId]);
  expect(await deleteProject(env, { id: projectId, workspaceId }, Date.now())).toMatchObject({ code: "NOT_FOUND" });
});

test("each page continues where the previous one stopped, until nothing is left of the project", async () => {
  const [session, other] = [await begin(projectId), await begin(otherId)];
  await addTraces(4);
  await env.STORE.put(`sessions/${session.id}/attachments/a`, "file");
  const variants = [{ name: "A", title: "A", kind: "markdown" as const, body: "# A" }];
  for (let made = 0; made < 25; made++)
    await createPrototype(env, { projectId, createdBy: null, title: "Y", variants }, made);
  await run(
    "INSERT INTO share_links (slug, project_id, sandbox_key, created_at) VALUES (?1, ?1, ?2, 0)",
    projectId,
    mainSandboxKey(),
  );
  await run(
    "INSERT INTO sandbox_bases (id, project_id, fingerprint, recipe, state, created_at) VALUES (?1, ?1, 'f', 'f', 'ready', 0)",
    projectId,
  );
  for (const id of [projectId, otherId])
    await run(
      "INSERT INTO jobs (id, owner_type, owner_id, number, status, created_at) VALUES (?1, 'project', ?1, 1, 'completed', 0)",
      id,
    );
  await removeUnheard();
  for (const [sessionsLeft, prototypesLeft] of [
    [4, 25],
    [3, 25],
    [2, 25],
    [1, 25],
    [0, 25],
    [0, 5],
    [0, 0],
  ]) {
    await runPage();
    expect([await countRows("sessions"), await countRows("prototypes")]).toEqual([sessionsLeft, prototypesLeft]);
  }
  expect(await countRows("share_links")).toBe(1);
  await runPage();
  expect(await countRows("share_links")).toBe(0);
  expect(await run("SELECT state FROM sandbox_bases WHERE project_id = ?1", projectId)).toEqual([{ state: "retired" }]);
  expect(await run("SELECT id FROM jobs WHERE id IN (?1, ?2)", projectId, otherId)).toEqual([{ id: otherId }]);
  expect((await env.STORE.list({ prefix: `sessions/${session.id}/` })).objects).toEqual([]);
  for (const sandbox of [session.sandbox, env.SANDBOX.getByName(mainSandboxKey())])
    await until(() => sandbox.asked()).toContain("destroy");
  expect(await session.session().read()).toMatchObject({ code: "NOT_FOUND" });
  expect(await other.session().read()).not.toHaveProperty("code");
});

test("sessions with a running turn are in the first page, then those with a sandbox", async () => {
  await addTraces(30);
  const asleep = await begin(projectId);
  const awake = await begin(projectId);
  const running = await begin(projectId);
  await run(
    `INSERT INTO sandbox_slots (sandbox_key, workspace_id, owner_type, owner_id, state, claimed_at)
     VALUES (?1, ?2, 'session', ?3, 'running', 0)`,
    awake.record.sandboxKey,
    workspaceId,
    awake.id,
  );
  await running.startTurn("hello");
  await running.settled();
  await removeUnheard();
  await runPage();
  const left = (await run("SELECT id FROM sessions WHERE project_id = ?1", projectId)).map(({ id }) => id);
  expect(left).toContain(asleep.id);
  expect(left).not.toContain(awake.id);
  expect(left).not.toContain(running.id);
});

test("no plan limits the sandboxes of its sessions from the deletion on, because no list shows them", async () => {
  const [session, other] = [await begin(projectId), await begin(otherId)];
  for (const { id, record } of [session, other]) {
    await run(
      `INSERT INTO sandbox_slots (sandbox_key, workspace_id, owner_type, owner_id, state, claimed_at)
       VALUES (?1, ?2, 'session', ?3, 'running', 0)`,
      record.sandboxKey,
      workspaceId,
      id,
    );
  }
  await removeUnheard();
  expect(await listSlotHolders(env.DB, workspaceId)).toEqual([other.record.sandboxKey]);
});

test("once an hour the sweep finds sessions without a project or a deletion, and deletes them", async () => {
  const [session, other] = [await begin(projectId), await begin(otherId)];
  await run("DELETE FROM projects WHERE id = ?1", projectId);
  const atTheHour = Math.ceil(Date.now() / hour) * hour + hour;
  await sweepWhole(sweepDeletions, env, atTheHour + 10 * 60_000);
  await sweepWhole(sweepDeletions, env, atTheHour + 12 * 60_000);
  expect(await run("SELECT id FROM removals WHERE id = ?1", projectId)).toEqual([]);
  await sweepWhole(sweepDeletions, env, atTheHour + 2_000);
  await sweepWhole(sweepDeletions, env, atTheHour + 2 * 60_000);
  await until(() => countRows("sessions")).toBe(0);
  expect(await session.session().read()).toMatchObject({ code: "NOT_FOUND" });
  expect(await other.session().read()).not.toHaveProperty("code");
  expect(await run("SELECT id FROM removals WHERE id = ?1", otherId)).toEqual([]);
});
