// The restore of a session at the operator's command. Its object is set back by a stand-in for the
// platform's recovery.
import { abortAllDurableObjects } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { beforeEach, expect, test } from "vitest";
import { listAuditEvents } from "../../../src/audit/queries.ts";
import type { Env } from "../../../src/env.ts";
import { handleOperatorCommand } from "../../../src/operator/route.ts";
import { deleteSession } from "../../../src/session/delete.ts";
import { runRestore } from "../../../src/session/restore.ts";
import { openSubscriber } from "../support/live-subscriber.ts";
import { addUser } from "../support/people.ts";
import { addProject } from "../support/project-driver.ts";
import { addEffects, breakRecovery, recordState } from "../support/recoverable-session.ts";
import { beginSession, by, completed, type SessionDriver, started, textBlock } from "../support/session-driver.ts";

// A restore needs no more of the service than the tests of objects have.
const service = env as unknown as Env;

let driver: SessionDriver;
beforeEach(async () => {
  const { workspaceId, projectId } = await addProject();
  driver = await beginSession(null, {
    workspaceId,
    projectId,
    metadata: { ticket: "T-1" },
    model: "anthropic/claude-opus-5",
  });
});

const restore = (at: number, isConfirmed = true) =>
  runRestore(service, { session: driver.id, at: new Date(at).toISOString(), isConfirmed }, Date.now());
const rows = async (table: string, column: string) => {
  const { results } = await env.DB.prepare(`SELECT * FROM ${table} WHERE ${column} = ?1`).bind(driver.id).all();
  return results;
};
const until = (read: () => Promise<unknown>) => expect.poll(read, { interval: 20 });

/** Lets the agent answer a message. */
async function runTurn(content: string): Promise<string> {
  const turnId = await driver.startTurn(content);
  const link = await driver.link(turnId);
  await link.tell(1, started);
  await link.tell(2, textBlock(0, `answer to ${content}`));
  await link.tell(3, completed);
  await driver.settled();
  return turnId;
}

async function remove(): Promise<void> {
  expect(await deleteSession(env, driver.id, by)).toBeNull();
  await driver.settled();
  await until(() => rows("activity", "session_id")).toContainEqual(
    expect.objectContaining({ kind: "session_deleted" }),
  );
}

test("a deleted session is listed and read again, and works in a fresh sandbox", async () => {
  const turns = [await runTurn("the first"), await runTurn("the second")];
  const said = await driver.messages();
  const { session } = await driver.state();
  const at = await recordState(driver.id);
  await remove();
  expect(await rows("sessions", "id")).toEqual([]);

  expect(await restore(at, false)).toMatchObject({
    state: "not restored",
    title: "A test",
    now: expect.stringMatching(/^deleted at 2/),
  });
  expect(await rows("sessions", "id")).toEqual([]);
  expect(await restore(at)).toMatchObject({ state: "restored", undo: "delete the session again" });

  expect(await driver.messages()).toEqual(said);
  const after = await driver.state();
  expect(after.session).toEqual({
    ...session,
    sandboxKey: expect.stringMatching(/^s[a-z0-9]{16}$/),
    updatedAt: expect.any(Number),
    needsYouSince: after.session.needsYouSince,
  });
  expect(after.session.sandboxKey).not.toBe(session.sandboxKey);
  expect(await rows("sessions", "id")).toMatchObject([{ title: "A test", search_title: "a test", queue_count: 0 }]);
  await driver.settled();
  expect((await rows("jobs", "owner_id")).map(({ id, status }) => [id, status])).toEqual(
    turns.map((id) => [id, "completed"]),
  );
  expect((await rows("message_texts", "session_id")).map(({ text }) => text).sort()).toEqual([
    "answer to the first",
    "answer to the second",
    "the first",
    "the second",
  ]);
  expect(await rows("session_metadata", "session_id")).toMatchObject([{ key: "ticket", value: "T-1" }]);

  const sandbox = env.SANDBOX.getByName(after.session.sandboxKey);
  await sandbox.behave("lacks-conversation");
  await driver.startTurn("the third");
  await until(async () => (await sandbox.requests()).map(({ conversation }) => conversation)).toMatchObject([
    { isNew: false, handover: null },
    { isNew: true, handover: expect.stringMatching(/the first[\s\S]*answer to the second/) },
  ]);
});

test("what ran at that time has failed, Up next stays paused, and nothing continues", async () => {
  const turnId = await driver.startTurn("long work");
  const link = await driver.link(turnId);
  await link.tell(1, started);
  await driver.send("later");
  const at = await recordState(driver.id);
  // Effects that were stored at that time, and that were performed since.
  const { workspaceId, projectId } = driver.record;
  const effects = [
    { type: "discard-sandbox", id: 1 },
    { type: "forget-session", sessionId: driver.id, workspaceId, projectId },
  ];
  await link.tell(2, completed);
  await until(async () => (await driver.state()).chat.turn?.number).toBe(2);
  await driver.session().cancel((await driver.state()).chat.turn?.id ?? "", by);
  await remove();
  addEffects(driver.id, effects);
  const asked = await driver.sandbox.asked();

  expect(await restore(at)).toMatchObject({ state: "restored" });
  const { session, chat } = await driver.state();
  expect(chat.turn).toMatchObject({
    id: turnId,
    status: "failed",
    error: expect.stringMatching(/^The session was restored/),
  });
  expect(chat.upNext.map(({ content }) => content)).toEqual(["later"]);
  expect(chat.pause?.reason).toBe("failed");
  await driver.settled();
  expect(await driver.sandbox.asked()).toEqual(asked);
  expect(await env.SANDBOX.getByName(session.sandboxKey).asked()).toEqual([]);
  expect(await rows("jobs", "owner_id")).toMatchObject([{ id: turnId, status: "failed" }]);
  expect(await rows("sessions", "id")).toMatchObject([
    { turn_status: "failed", queue_count: 1, needs_you: "job_failed" },
  ]);
});

test("an existing session is set back, keeps its sandbox, and the restore can be undone", async () => {
  const first = await runTurn("the first");
  const reader = await openSubscriber(driver.session());
  await reader.more();
  const at = await recordState(driver.id);
  const second = await runTurn("the second");
  await driver.session().update({ title: "Damaged" }, by, { runnable: new Set(["anthropic"]) });
  await driver.settled();
  const lastEvent = reader.events.at(-1)?.id ?? null;
  expect(lastEvent).not.toBeNull();
  const { session } = await driver.state();
  await recordState(driver.id);

  const answer = await restore(at);
  expect(answer).toMatchObject({ state: "restored" });
  expect("files" in answer && answer.files).toMatch(/stay as they are/);
  const after = await driver.state();
  expect(after.session).toMatchObject({ title: "A test", sandboxKey: session.sandboxKey });
  expect(after.chat.turn).toMatchObject({ id: first, number: 1 });
  await driver.settled();
  expect(await rows("sessions", "id")).toMatchObject([{ title: "A test", turn_number: 1 }]);
  expect(await rows("jobs", "owner_id")).toMatchObject([{ id: first }]);
  expect((await rows("message_texts", "session_id")).map(({ job_id }) => job_id)).not.toContain(second);
  // A client that has events of the other history gets everything again.
  const again = await openSubscriber(driver.session(), null, lastEvent);
  await again.more();
  expect(again.events[0]).toMatchObject({ event: "reset" });

  expect(await restore(at)).toMatchObject({ state: expect.stringMatching(/^restored before, at 2/) });
  const { undo = "" } = answer as Record<string, string>;
  expect(await restore(Date.parse(undo.split(" ").at(-1) ?? ""))).toMatchObject({ state: "restored" });
  expect(await driver.state()).toMatchObject({ session: { title: "Damaged" }, chat: { turn: { id: second } } });
  await driver.settled();
  expect(await rows("sessions", "id")).toMatchObject([{ title: "Damaged", turn_number: 2 }]);
});

test("more turns than a page are listed again", async () => {
  const turnId = await runTurn("the first");
  await driver.sql(
    `INSERT INTO turns (id, number, status, sender, conversation_id, is_handover, generation, created_at)
     WITH RECURSIVE n (at) AS (SELECT 2 UNION ALL SELECT at + 1 FROM n WHERE at < 85)
     SELECT t.id || n.at, n.at, t.status, t.sender, t.conversation_id, 0, 1, t.created_at FROM turns t, n WHERE t.id = ?`,
    turnId,
  );
  const at = await recordState(driver.id);
  await remove();
  expect(await restore(at)).toMatchObject({ state: "restored" });
  await driver.settled();
  expect(await rows("jobs", "owner_id")).toHaveLength(85);
});

test("a restore is refused while a turn runs, for an unknown id, and where objects have no recovery", async () => {
  const at = Date.now() - 1;
  expect(await restore(at, false)).toMatchObject({
    code: "BAD_REQUEST",
    message: expect.stringMatching(/one machine/),
  });
  expect(await restore(at)).toMatchObject({ code: "BAD_REQUEST", message: expect.stringMatching(/one machine/) });
  await driver.startTurn("work");
  expect(await restore(at)).toMatchObject({ code: "JOB_ACTIVE" });
  const session = crypto.randomUUID();
  const request = { session, at: new Date(at).toISOString(), isConfirmed: true };
  expect(await runRestore(service, request, Date.now())).toMatchObject({ code: "NOT_FOUND" });
});

test("a time at which the session did not exist changes nothing", async () => {
  await recordState(driver.id);
  await remove();
  // It is deleted in this state, which the database does not know.
  const at = await recordState(driver.id);
  await env.DB.prepare("UPDATE activity SET created_at = ?2 WHERE session_id = ?1")
    .bind(driver.id, at + 1)
    .run();
  expect(await restore(at)).toMatchObject({ code: "BAD_REQUEST", message: expect.stringMatching(/did not exist at/) });
  expect(await driver.session().read()).toMatchObject({ code: "NOT_FOUND" });
  expect([await rows("sessions", "id"), await rows("session_restores", "session_id")]).toEqual([[], []]);
});

test("a restart that does not restore is reported, and a repeat restores", async () => {
  const at = await recordState(driver.id);
  await runTurn("the first");
  breakRecovery(driver.id, true);
  expect(await restore(at)).toMatchObject({ code: "SERVICE_UNAVAILABLE", message: expect.stringMatching(/did not/) });
  expect(await driver.messages()).toHaveLength(2);
  breakRecovery(driver.id, false);
  expect(await restore(at)).toMatchObject({ state: "restored" });
  expect(await driver.messages()).toEqual([]);
});

test("an operator who was interrupted finds a session that did not continue, and repeats the command", async () => {
  const turnId = await driver.startTurn("long work");
  const at = await recordState(driver.id);
  await driver.session().cancel(turnId, by);
  await remove();
  const asked = await driver.sandbox.asked();
  // Only the first part of the restore.
  const token = crypto.randomUUID();
  await driver
    .session()
    .restore({ sessionId: driver.id, token, toTime: at })
    .catch(() => undefined);
  await abortAllDurableObjects();
  expect((await driver.state()).chat.turn).toMatchObject({ id: turnId, status: "failed" });
  await driver.settled();
  expect(await driver.sandbox.asked()).toEqual(asked);
  expect(await restore(at)).toMatchObject({ state: "restored" });
  expect(await rows("session_restores", "session_id")).toMatchObject([{ token, settled_at: expect.any(Number) }]);
  expect(await restore(at)).toMatchObject({ state: expect.stringMatching(/^restored before/) });
});

test("a person who was deleted since is not named again", async () => {
  const userId = await addUser("Mia");
  const user = { id: userId, name: "Mia Deleted", email: "mia@deleted.test", imageUrl: null };
  await driver.send("hello", { by: { type: "member", user, role: "member" } });
  const [turn] = (await driver.session().turns(1, 1)).turns;
  await driver.session().cancel(turn?.id ?? "", by);
  const at = await recordState(driver.id);
  await remove();
  await env.DB.prepare("UPDATE users SET deleted_at = ?2 WHERE id = ?1").bind(userId, Date.now()).run();
  expect(await restore(at)).toMatchObject({ state: "restored" });
  const said = JSON.stringify(await driver.messages());
  expect(said).toContain(userId);
  expect(said).not.toMatch(/Mia Deleted|mia@deleted\.test/);
});

test("the command is in the audit log of the workspace", async () => {
  const at = new Date(await recordState(driver.id)).toISOString();
  await remove();
  const key = "k".repeat(32);
  const send = async (isConfirmed: boolean) => {
    const request = new Request("https://service/internal/operator", {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      body: JSON.stringify({ command: "restore-session", session: driver.id, at, isConfirmed }),
    });
    const counter = { limit: async () => ({ success: true }) };
    const answer = await handleOperatorCommand(request, { ...service, FAILED_CREDENTIALS: counter, OPERATOR_KEY: key });
    return ((await answer.json()) as { data: Record<string, string> }).data.state;
  };
  expect([await send(false), await send(true)]).toEqual(["not restored", "restored"]);
  expect(await send(true)).toMatch(/^restored before/);
  const range = { workspaceId: driver.record.workspaceId, since: 0, until: Date.now() + 1, before: "g" };
  expect(await listAuditEvents(env.DB, range, 9)).toMatchObject([
    { operation: "operator.restore-session", actor: { kind: "operator" }, target: { session: driver.id, at } },
  ]);
});
