// The deletion of a workspace: it is not found from the first moment on, and nothing of it is left
// in the end.
import { runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { getDeletionObject, getWorkspaceEventsObject } from "../../../durable-objects/address.ts";
import { findAccess } from "../../../src/access/queries.ts";
import { createPrototype } from "../../../src/artifact/prototypes.ts";
import { findDeletion } from "../../../src/deletion/queries.ts";
import { lateArrivalMs } from "../../../src/deletion/rules/deletion.ts";
import { sweepDeletions } from "../../../src/deletion/sweep.ts";
import { getKeyHash } from "../../../src/lib/base64url.ts";
import { isRefusal } from "../../../src/rules/refusal.ts";
import { deleteWorkspace } from "../../../src/workspace/delete.ts";
import { listWorkspaces } from "../../../src/workspace/queries/workspaces.ts";
import { captureLog } from "../support/captured-log.ts";
import { issueApiKey, issueRelayKey } from "../support/issued-keys.ts";
import { addWorkspaceWith } from "../support/people.ts";
import { beginSession, type SessionDriver } from "../support/session-driver.ts";
import { sweepWhole } from "../support/sweep-whole.ts";

let workspaceId: string;
let users: Record<"owner" | "admin", string>;
let projectId: string;
let mainSandboxKey: string;
let sessions: SessionDriver[];
const minute = 60_000;
const name = () => ({ type: "workspace", id: workspaceId }) as const;
const removal = () => getDeletionObject(env, name());
const until = (read: () => Promise<unknown>) => expect.poll(read, { interval: 20 });

async function run(sql: string, ...values: unknown[]): Promise<Record<string, unknown>[]> {
  const { results } = await env.DB.prepare(sql)
    .bind(...values)
    .all();
  return results;
}

beforeEach(async () => {
  ({ workspaceId, users } = await addWorkspaceWith({ owner: "owner", admin: "admin" }));
  projectId = crypto.randomUUID();
  mainSandboxKey = `m${projectId.replaceAll("-", "").slice(0, 16)}`;
  await run(
    `INSERT INTO projects (id, workspace_id, name, repository, target_branch, deploy_status, settings, main_sandbox_key, created_at, updated_at)
     VALUES (?1, ?2, 'P', 'a/b', 'main', 'deployed', '{}', ?3, 0, 0)`,
    projectId,
    workspaceId,
    mainSandboxKey,
  );
  sessions = [
    await beginSession(null, { workspaceId, projectId }),
    await beginSession(null, { workspaceId, projectId }),
  ];
  await until(async () => (await sessionRows()).length).toBe(2);
});
afterEach(() => vi.restoreAllMocks());

const sessionRows = () => run("SELECT id FROM sessions WHERE project_id = ?1", projectId);
const activity = () => run("SELECT id FROM activity WHERE workspace_id = ?1", workspaceId);
const events = (id: string) => getWorkspaceEventsObject(env, id);
/** The events that an object keeps for listeners who come back. */
const keptEvents = (id: string) =>
  runInDurableObject(events(id), (_, { storage }) => storage.sql.exec("SELECT name FROM events").toArray());
const by = (id: string) =>
  ({ type: "member", user: { id, name: "U", email: "u@example.com", imageUrl: null }, role: "owner" }) as const;
const remove = (as = users.owner, called = "Acme") =>
  deleteWorkspace(env, { id: workspaceId, name: called, by: by(as) }, Date.now());

/** Deletes the workspace without a call to its object. */
async function removeUnheard() {
  const deaf = { ...env, DELETION: { getByName: () => ({ start: () => Promise.reject(new Error("gone")) }) } };
  captureLog();
  // The request for a deletion calls only this of the deletion object.
  await deleteWorkspace(
    deaf as unknown as typeof env,
    { id: workspaceId, name: "Acme", by: by(users.owner) },
    Date.now(),
  );
}

test("a wrong name, or a user who is not the owner, deletes nothing", async () => {
  expect(await remove(users.owner, "acme")).toMatchObject({ code: "VALIDATION_ERROR", details: [{ path: "name" }] });
  expect(await remove(users.admin)).toMatchObject({ code: "FORBIDDEN" });
  expect(await listWorkspaces(env.DB, users.admin)).toHaveLength(1);
  expect(await findDeletion(env.DB, name())).toBeNull();
});

test("the workspace, its projects, sessions and keys are immediately not found", async () => {
  const { token } = await issueApiKey(env.DB, { userId: users.admin, name: "k", expiresAt: null }, 0);
  const relay = await issueRelayKey(env.DB, { workspaceId, name: "k" }, 0);
  await removeUnheard();
  const params = { workspaceId, projectId, sessionId: sessions[0]?.id ?? "" };
  for (const noun of ["workspace", "project", "session"] as const)
    expect(await findAccess(env.DB, await getKeyHash(token), { noun, params })).toMatchObject({
      unknown: noun === "workspace" ? "workspace" : "project",
    });
  expect(await findAccess(env.DB, await getKeyHash(relay.token), { noun: "none", params })).toBeNull();
  expect(await listWorkspaces(env.DB, users.admin)).toEqual([]);
  expect(await remove()).toMatchObject({ code: "NOT_FOUND" });
});

test("turns, sessions, sandboxes, Prototypes, links, files and activity are deleted after the response; others stay", async () => {
  const other = await beginSession();
  const [session] = sessions;
  if (!session) throw new Error("no session");
  await session.startTurn("hello");
  await env.STORE.put(`sessions/${session.id}/attachments/a`, "file");
  const variants = [{ name: "A", title: "A", kind: "markdown" as const, body: "# A" }];
  const prototype = await createPrototype(env, { projectId, createdBy: null, title: "Y", variants }, 0);
  if (isRefusal(prototype)) throw new Error(prototype.message);
  await run(
    "INSERT INTO share_links (slug, project_id, sandbox_key, created_at) VALUES (?1, ?1, ?2, 0)",
    projectId,
    mainSandboxKey,
  );
  await run(
    "INSERT INTO sandbox_bases (id, project_id, fingerprint, recipe, state, created_at) VALUES (?1, ?1, 'f', 'f', 'ready', 0)",
    projectId,
  );
  await until(async () => (await activity()).length).toBeGreaterThan(0);
  expect(await remove()).toBeNull();
  await until(sessionRows).toEqual([]);
  await until(activity).toEqual([]);
  await until(() => run("SELECT id FROM prototypes WHERE project_id = ?1", projectId)).toEqual([]);
  await until(() => run("SELECT slug FROM share_links WHERE project_id = ?1", projectId)).toEqual([]);
  await until(() => run("SELECT state FROM sandbox_bases WHERE project_id = ?1", projectId)).toEqual([
    { state: "retired" },
  ]);
  for (const { id } of sessions)
    await until(async () => (await env.STORE.list({ prefix: `sessions/${id}/` })).objects).toEqual([]);
  expect((await env.STORE.list({ prefix: `prototypes/${prototype.row.id}/` })).objects).toEqual([]);
  for (const driver of sessions) {
    expect(await driver.session().read()).toMatchObject({ code: "NOT_FOUND" });
    await until(() => driver.sandbox.asked()).toContain("destroy");
  }
  await until(() => env.SANDBOX.getByName(mainSandboxKey).asked()).toContain("destroy");
  expect(await other.session().read()).not.toHaveProperty("code");
});

test("a deletion whose object was never started is started by the sweep", async () => {
  await removeUnheard();
  expect(await sessionRows()).toHaveLength(2);
  await sweepWhole(sweepDeletions, env, Date.now());
  expect(await sessionRows()).toHaveLength(2);
  await sweepWhole(sweepDeletions, env, Date.now() + minute);
  await until(sessionRows).toEqual([]);
});

test("nothing is left of its stream, nor of what is published late, and those of other workspaces stay", async () => {
  const [elsewhere, changed] = [crypto.randomUUID(), { type: "members-changed", workspaceId } as const];
  for (const id of [workspaceId, elsewhere]) await events(id).publish([changed]);
  await remove();
  await until(() => env.SANDBOX.getByName(mainSandboxKey).asked()).toContain("destroy");
  // The deletion of a session is published later than its row is deleted.
  for (const driver of sessions) await driver.settled();
  await events(workspaceId).publish([changed]);
  await run("UPDATE removals SET created_at = ?2 WHERE id = ?1", workspaceId, Date.now() - lateArrivalMs);
  expect(await runDurableObjectAlarm(removal())).toBe(true);
  await until(() => keptEvents(workspaceId)).toEqual([]);
  expect(await keptEvents(elsewhere)).toHaveLength(1);
});

test("rows that are written late are deleted too, and then the deletion ends", async () => {
  await remove();
  await until(sessionRows).toEqual([]);
  await until(() => env.SANDBOX.getByName(mainSandboxKey).asked()).toContain("destroy");
  const late = await beginSession(null, { workspaceId, projectId });
  await until(sessionRows).toHaveLength(1);
  await run("UPDATE removals SET created_at = ?2 WHERE id = ?1", workspaceId, Date.now() - lateArrivalMs);
  expect(await runDurableObjectAlarm(removal())).toBe(true);
  await until(async () => (await late.session().read()) !== null && (await sessionRows()).length).toBe(0);
  await until(() => findDeletion(env.DB, name())).toBeNull();
  expect(await runInDurableObject(removal(), (_, { storage }) => storage.getAlarm())).toBeNull();
});
