// The deletion of a person: what is theirs is gone from the first moment on, and in the end nothing
// names them, while everything that they made for a workspace stays readable.
import { evictDurableObject, runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { getDeletionObject, getWorkspaceEventsObject } from "../../../durable-objects/address.ts";
import type { Sender } from "../../../src/access/rules/actor.ts";
import { createUser, findProfile, findUserByEmail } from "../../../src/account/queries.ts";
import { recordEvents } from "../../../src/activity/record.ts";
import type { RecordedEvent } from "../../../src/activity/rules/activity.ts";
import { listAuditParts, readAuditPart, writeAuditPart } from "../../../src/audit/archive.ts";
import { listAuditEvents, recordAuditPart } from "../../../src/audit/queries.ts";
import { recordAuditEvent } from "../../../src/audit/record.ts";
import type { AuditEvent } from "../../../src/audit/rules/event.ts";
import { type DeletePersonRequest, deletePerson } from "../../../src/deletion/delete-person.ts";
import { findDeletion } from "../../../src/deletion/queries.ts";
import { lateArrivalMs } from "../../../src/deletion/rules/deletion.ts";
import { sweepDeletions } from "../../../src/deletion/sweep.ts";
import type { Env } from "../../../src/env.ts";
import { issueBrowserSession } from "../../../src/key/queries/browser-sessions.ts";
import { isRefusal } from "../../../src/rules/refusal.ts";
import { captureLog } from "../support/captured-log.ts";
import { issueApiKey } from "../support/issued-keys.ts";
import { addMember, addUser, addWorkspaceWith } from "../support/people.ts";
import { addProject, connectProvider, reachedStatus } from "../support/project-driver.ts";
import { beginSession, facts, type SessionDriver, started } from "../support/session-driver.ts";
import { sweepWhole } from "../support/sweep-whole.ts";

let name: string;
let workspaceId: string;
let owner: string;
let userId: string;
let login: string;
let email: string;
let session: SessionDriver;
let rosalind: Sender;
const minute = 60_000;
const deletionName = () => ({ type: "person", id: userId }) as const;
const deletion = () => getDeletionObject(env, deletionName());
const until = (read: () => Promise<unknown>) => expect.poll(read, { interval: 20 });

async function run(sql: string, ...values: unknown[]): Promise<Record<string, unknown>[]> {
  const { results } = await env.DB.prepare(sql)
    .bind(...values)
    .all();
  return results;
}

beforeEach(async () => {
  let users: { owner: string };
  ({ workspaceId, users } = await addWorkspaceWith({ owner: "owner" }));
  ({ owner } = users);
  name = `Rosalind ${crypto.randomUUID()}`;
  userId = await addUser(name);
  await addMember(workspaceId, userId, "admin");
  login = `Rosalind-${userId.slice(4, 12)}`;
  email = `Rosalind.${userId}@example.com`;
  await run("UPDATE users SET email = ?2 WHERE id = ?1", userId, email);
  await run(
    `INSERT INTO code_host_identities (user_id, host_user_id, login, name, email, sealed, created_at)
     VALUES (?1, ?1, ?2, ?3, ?4, 'k1.x', 0)`,
    ...[userId, login, name, `1+${login}@users.noreply.example.com`],
  );
  rosalind = {
    type: "member",
    user: { id: userId, name, email, imageUrl: "https://pictures.test/rosalind" },
    role: "admin",
  };
  session = await beginSession(null, {
    workspaceId,
    assignee: { kind: "member", userId, name, imageUrl: "https://pictures.test/rosalind" },
    metadata: { requestedBy: email, ticket: "T-1" },
  });
  await until(() => run("SELECT assignee_id FROM sessions WHERE id = ?1", session.id)).toEqual([
    { assignee_id: userId },
  ]);
});
afterEach(() => vi.restoreAllMocks());

// The deletion of a person needs no more of the service than the tests of objects have.
const service = env as unknown as Env;
const remove = (changes: Partial<DeletePersonRequest> = {}) =>
  deletePerson(service, { person: userId, isConfirmed: true, withWorkspaces: false, ...changes }, Date.now());

/** Deletes the person, and waits until the operator sees that it is done. */
async function removed(): Promise<void> {
  expect(await remove()).toMatchObject({ person: userId });
  await until(remove).toMatchObject({ state: "done" });
}

/** Deletes the person without a call to the object of the deletion. */
async function removeUnheard(): Promise<void> {
  const deaf = {
    ...env,
    DELETION: {
      getByName: () => ({ start: () => Promise.reject(new Error("gone")), personProgress: async () => null }),
    },
  };
  captureLog();
  await deletePerson(deaf as unknown as Env, { person: userId, isConfirmed: true, withWorkspaces: false }, Date.now());
}

/**
 * All texts of the database that contain one of some texts, with their tables. The record of the
 * deletion has them until it is complete.
 */
async function findInDatabase(texts: string[]): Promise<unknown[]> {
  const columns = await run(
    `SELECT t.name AS "table", c.name AS "column" FROM sqlite_master t, pragma_table_info(t.name) c
     WHERE t.type = 'table' AND t.name <> 'removals' AND t.name NOT LIKE '\\_%' ESCAPE '\\' AND t.name NOT LIKE 'd1\\_%' ESCAPE '\\' AND upper(c.type) = 'TEXT'`,
  );
  const found = await Promise.all(
    columns.flatMap(({ table, column }) =>
      texts.map((text) =>
        run(`SELECT '${table}' AS "table", "${column}" FROM "${table}" WHERE instr("${column}", ?1)`, text),
      ),
    ),
  );
  return found.flat();
}

/** All that an object stores, as text. */
async function stored(stub: DurableObjectStub): Promise<string> {
  return await runInDurableObject(stub as DurableObjectStub<undefined>, (_, { storage }) => {
    const tables = storage.sql
      .exec<{ name: string }>(
        "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE '\\_%' ESCAPE '\\'",
      )
      .toArray();
    return JSON.stringify(tables.map(({ name }) => storage.sql.exec(`SELECT * FROM "${name}"`).toArray()));
  });
}

test("without --yes nothing is deleted, and the operator sees what would be", async () => {
  expect(await remove({ person: login, isConfirmed: false })).toMatchObject({
    person: userId,
    state: "not deleted",
    name,
  });
  expect(await findUserByEmail(env.DB, email)).toBe(userId);
  expect(await remove({ person: "nobody" })).toMatchObject({ code: "NOT_FOUND" });
  expect(Object.keys((await findProfile(env.DB, userId)) ?? {}).join()).not.toMatch(/deleted|suspended/);
});

test("what belongs to the person is gone immediately, and signing in again makes a new person", async () => {
  await issueApiKey(env.DB, { userId, name: "k", expiresAt: null }, 0);
  await issueBrowserSession(env.DB, userId, Date.now());
  await run("UPDATE users SET image_url = 'http://service.test/pictures/p-1' WHERE id = ?1", userId);
  const skill = crypto.randomUUID();
  await run(
    `INSERT INTO skills (id, owner_type, owner_id, name, description, enabled, file_count, hash, body_key, created_at, updated_at)
     VALUES (?1, 'member', ?2, 's', 'd', 1, 1, 'h', ?1, 0, 0)`,
    ...[skill, userId],
  );
  await run("INSERT INTO plugin_choices (user_id, plugin_id, enabled_at) VALUES (?1, 'p', 0)", userId);
  const device = "token, user_id, bundle_id, environment, platform, registration_id, registered_at";
  await run(`INSERT INTO push_devices (${device}) VALUES (?1, ?1, 'b', 'sandbox', 'ios', 'r', 0)`, userId);
  await run("INSERT INTO seen_marks (workspace_id, user_id, seq) VALUES (?1, ?2, 1)", workspaceId, userId);
  await run(
    `INSERT INTO provider_logins (id, owner_type, owner_id, provider, place, kind, sealed, label, authenticated_at)
     VALUES (?1, 'member', ?1, 'anthropic', 0, 'key', 'sealed', 'key', 0)`,
    userId,
  );
  await run(
    `INSERT INTO invitations (id, workspace_id, email, role, created_by, created_at, expires_at)
     VALUES (?1, ?1, ?2, 'member', NULL, 0, 0), ('by ' || ?1, ?1, 'g@example.com', 'member', ?1, 0, 0)`,
    ...[userId, email.toLowerCase()],
  );
  await removeUnheard();
  for (const [table, which] of [
    ["keys", "user_id = ?1"],
    ["code_host_identities", "user_id = ?1"],
    ["members", "user_id = ?1"],
    ["invitations", "workspace_id = ?1"],
    ["skills", "owner_id = ?1"],
    ["plugin_choices", "user_id = ?1"],
    ["push_devices", "user_id = ?1"],
    ["seen_marks", "user_id = ?1"],
    ["provider_logins", "owner_id = ?1"],
  ])
    expect([table, await run(`SELECT 1 FROM ${table} WHERE ${which}`, userId)]).toEqual([table, []]);
  expect(await run("SELECT key FROM objects_in_doubt WHERE key IN ('pictures/p-1', ?1)", skill)).toHaveLength(2);
  expect(await run("SELECT name, email, image_url FROM users WHERE id = ?1", userId)).toEqual([
    { name: "Deleted user", email: `${userId}@deleted.invalid`, image_url: null },
  ]);
  expect(await issueBrowserSession(env.DB, userId, Date.now())).toBeNull();
  const again = await createUser(env.DB, { name, email, imageUrl: null }, Date.now());
  expect(again).not.toBe(userId);
  expect(await run("SELECT 1 FROM members WHERE user_id = ?1", again)).toEqual([]);
});

test("their turn is stopped, their assignment is cleared, and everybody else reads the session without their name", async () => {
  const turnId = await session.startTurn("from Mia");
  const link = await session.link(turnId);
  await link.tell(1, started);
  await link.tell(2, { type: "ended", outcome: { status: "completed" } });
  const sent = await session.send("my address is not a name", { by: rosalind });
  if (isRefusal(sent) || sent.delivery !== "job") throw new Error("no turn");
  await session.send("waits", { by: rosalind });
  await session.settled();
  expect(await stored(session.session())).toContain(name);
  await removed();
  const { session: record, chat } = await session.state();
  expect(record).toMatchObject({ assignee: null });
  expect(chat).toMatchObject({ turn: { id: sent.turnId, status: "cancelled" }, upNext: [{ content: "waits" }] });
  const messages = await session.messages();
  expect(messages).toContainEqual(
    expect.objectContaining({
      content: "my address is not a name",
      author: {
        ...{ userId, name: "Deleted user" },
        ...{ email: `${userId}@deleted.invalid`, imageUrl: null },
      },
    }),
  );
  expect(messages).toContainEqual(expect.objectContaining({ author: expect.objectContaining({ name: "Mia" }) }));
  const text = await stored(session.session());
  expect(text).not.toContain(name);
  expect(text).not.toContain(email);
  expect(await run("SELECT assignee_id FROM sessions WHERE id = ?1", session.id)).toEqual([{ assignee_id: null }]);
  await until(() =>
    run("SELECT key, value FROM session_metadata WHERE session_id = ?1 ORDER BY key", session.id),
  ).toEqual([
    { key: "requestedBy", value: `${userId.toLowerCase()}@deleted.invalid` },
    { key: "ticket", value: "T-1" },
  ]);
  // Others work on in it.
  expect(await session.resume()).toBeNull();
});

test("a session of a workspace that they left long ago names them no more, either", async () => {
  const left = await beginSession();
  await left.session().send(
    {
      body: { content: "then", attachments: [], context: { preview: null, reviewCommentIds: [] } },
      by: rosalind,
      model: null,
      runningTurnId: null,
      retriedTurnId: null,
      seen: null,
    },
    facts,
    null,
  );
  await until(() => run("SELECT 1 FROM sessions WHERE id = ?1", left.id)).toHaveLength(1);
  await removed();
  expect(await stored(left.session())).not.toContain(name);
});

test("their Deploy is stopped, and its chat names them no more", async () => {
  const project = await addProject();
  await connectProvider(project);
  const stub = () => env.PROJECT.getByName(project.projectId);
  const opening = { content: "deploy it", attachments: [], context: { preview: null, reviewCommentIds: [] } };
  const begun = await stub().start(project, { by: rosalind, opening, onlyIfIdle: false }, null);
  if (isRefusal(begun)) throw new Error(begun.message);
  const { chat } = await reachedStatus(project, "running_agent");
  expect(await stored(stub() as unknown as DurableObjectStub)).toContain(name);
  await removed();
  expect(await stub().read()).toMatchObject({ chat: { turn: { id: chat.turn?.id, status: "cancelled" } } });
  expect(await stored(stub() as unknown as DurableObjectStub)).not.toContain(name);
});

test("activity, the workspace's events and the audit log keep what happened, with the id only", async () => {
  const event: RecordedEvent = {
    ...{ id: crypto.randomUUID(), workspaceId, projectId: null, sessionId: null, subject: null },
    doer: { userId: owner, source: null },
    kind: "member_role_changed",
    payload: { userId, name, from: "member", to: "admin", transfer: false },
  };
  const invited: RecordedEvent = {
    ...event,
    id: crypto.randomUUID(),
    kind: "member_invited",
    payload: { email, role: "member" },
  };
  const told = await recordEvents(env.DB, [event, invited]);
  await getWorkspaceEventsObject(env, workspaceId).publish(told.map((event) => ({ type: "activity", event })));
  const audited: Omit<AuditEvent, "id" | "workspaceId" | "requestId"> = {
    ...{ at: Date.now(), operation: "createApiKey", keyId: null, target: { login }, address: "192.0.2.1" },
    via: "browser",
    actor: { kind: "member", userId, name },
  };
  await recordAuditEvent(env, { workspaceId }, audited);
  const day = { workspaceId, day: "2026-01-31" };
  const old: AuditEvent = { ...audited, id: crypto.randomUUID(), workspaceId, requestId: null };
  const other: AuditEvent = {
    ...old,
    id: crypto.randomUUID(),
    actor: { kind: "member", userId: owner, name: "owner" },
  };
  await writeAuditPart(env, { ...day, firstId: old.id }, [old, other], null);
  await recordAuditPart(env.DB, day, []);
  await removed();
  expect(
    await run(
      "SELECT kind, payload FROM activity WHERE workspace_id = ?1 AND kind LIKE 'member%' ORDER BY seq",
      workspaceId,
    ),
  ).toEqual([
    { kind: event.kind, payload: JSON.stringify({ ...event.payload, name: "Deleted user" }) },
    { kind: invited.kind, payload: JSON.stringify({ email: `${userId}@deleted.invalid`, role: "member" }) },
  ]);
  const events = await stored(getWorkspaceEventsObject(env, workspaceId) as unknown as DurableObjectStub);
  expect(events).toContain(userId);
  expect(events).not.toContain(name);
  const forgotten = { actor: { userId, name: "Deleted user" }, target: { login: "Deleted user" }, address: null };
  const range = { workspaceId, since: 0, until: Date.now() + minute, before: "g" };
  expect(await listAuditEvents(env.DB, range, 5)).toMatchObject([
    { operation: "operator.delete-person", actor: { kind: "operator" }, target: { userId } },
    forgotten,
  ]);
  const days = (await Promise.all((await listAuditParts(env, day)).map((part) => readAuditPart(env, part)))).flat();
  expect(days).toHaveLength(2);
  expect(days).toContainEqual({ ...old, ...forgotten, actor: { kind: "member", ...forgotten.actor } });
  expect(days).toContainEqual({ ...other, target: { login: "Deleted user" } });
  expect(JSON.stringify(days)).not.toContain(name);
  expect(await findInDatabase([name, email, login, email.toLowerCase(), login.toLowerCase()])).toEqual([]);
});

test("a deletion that stopped half-way is continued by the sweep or by the repeated command, and ends the same", async () => {
  await removeUnheard();
  expect(await stored(session.session())).toContain(name);
  await sweepWhole(sweepDeletions, env, Date.now() + minute);
  await until(remove).toMatchObject({ state: "done" });
  expect(await stored(session.session())).not.toContain(name);
  expect(await findDeletion(env.DB, deletionName())).not.toBeNull();
  expect(await remove({ person: login })).toMatchObject({ person: userId, state: "done" });
});

test("an object that stops between pages continues, and a command that comes twice deletes once", async () => {
  const others = await Promise.all(Array.from({ length: 3 }, () => beginSession(null, { workspaceId })));
  for (const other of others) await other.send("hello", { by: rosalind });
  await Promise.all(others.map((other) => other.settled()));
  await others[0]?.sql("CREATE TRIGGER broken BEFORE UPDATE ON messages BEGIN SELECT RAISE(ABORT, 'broken'); END");
  captureLog();
  const twice = await Promise.all([remove(), remove({ person: login })]);
  expect(twice).toEqual([expect.objectContaining({ person: userId }), expect.objectContaining({ person: userId })]);
  await until(remove).toMatchObject({ progress: expect.stringMatching(/^(step|the last step)/) });
  await evictDurableObject(deletion());
  await others[0]?.sql("DROP TRIGGER broken");
  await until(remove).toMatchObject({ state: "done" });
  for (const other of others) expect(await stored(other.session())).not.toContain(name);
  expect(await run("SELECT 1 FROM audit_events WHERE workspace_id = ?1", workspaceId)).toHaveLength(1);
});

test("a session that fails is tried again, and does not stop the others", async () => {
  await session.send("hello", { by: rosalind });
  const other = await beginSession(null, { workspaceId });
  await other.send("hello", { by: rosalind });
  await Promise.all([session.settled(), other.settled()]);
  await session.sql("CREATE TRIGGER broken BEFORE UPDATE ON messages BEGIN SELECT RAISE(ABORT, 'broken'); END");
  captureLog();
  await remove();
  await until(remove).toMatchObject({
    state: "deleting",
    progress: expect.stringMatching(/^the last step.*again: [12]$/),
  });
  expect(await stored(other.session())).not.toContain(name);
  expect(await stored(session.session())).toContain(name);
  await session.sql("DROP TRIGGER broken");
  await until(remove).toMatchObject({ state: "done" });
  expect(await stored(session.session())).not.toContain(name);
});

test("what a late request writes is deleted in a second pass, and then the deletion ends", async () => {
  await removed();
  await session.send("late", { by: rosalind });
  await session.settled();
  await issueApiKey(env.DB, { userId, name: "late", expiresAt: null }, 0);
  await run("UPDATE removals SET created_at = ?2 WHERE id = ?1", userId, Date.now() - lateArrivalMs);
  expect(await runDurableObjectAlarm(deletion())).toBe(true);
  await until(() => findDeletion(env.DB, deletionName())).toBeNull();
  expect(await stored(session.session())).not.toContain(name);
  expect(await run("SELECT 1 FROM keys WHERE user_id = ?1", userId)).toEqual([]);
  expect(await runInDurableObject(deletion(), (_, { storage }) => storage.getAlarm())).toBeNull();
  expect(await remove()).toEqual({ person: userId, state: "done", progress: "complete" });
});

test("an owner is refused; workspaces of their own are deleted if the operator says so, shared ones never", async () => {
  const own = `ws_${crypto.randomUUID()}`;
  await run("INSERT INTO workspaces (id, name, slug, plan, created_at) VALUES (?1, 'Own', ?1, 'free', 0)", own);
  await addMember(own, userId, "owner");
  expect(await remove()).toMatchObject({
    code: "CONFLICT",
    message: expect.stringMatching(`${own}.*--with-workspaces`),
  });
  const guest = await addUser("guest");
  await addMember(own, guest, "member");
  expect(await remove({ withWorkspaces: true })).toMatchObject({
    ...{ code: "CONFLICT", message: expect.stringMatching(`${own}.*transfer-ownership`) },
  });
  expect(await run("SELECT 1 FROM users WHERE id = ?1 AND deleted_at IS NULL", userId)).toHaveLength(1);
  await run("DELETE FROM members WHERE user_id = ?1", guest);
  expect(await remove({ withWorkspaces: true })).toMatchObject({ person: userId, "deleted workspaces": own });
  expect(await run("SELECT 1 FROM workspaces WHERE id = ?1", own)).toEqual([]);
  expect(await run("SELECT 1 FROM workspaces WHERE id = ?1", workspaceId)).toHaveLength(1);
});
