// The restore of a session at the operator's command. Its object is set back by a stand-in for the
// platform's recovery.
import { abortAllDurableObjects } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { beforeEach, expect, test } from "vitest";
import type { Env } from "../../../src/env.ts";
import { deleteSession } from "../../../src/session/delete.ts";
import { restoreSession } from "../../../src/session/restore.ts";
import { captureLog } from "../support/captured-log.ts";
import { openSubscriber } from "../support/live-subscriber.ts";
import { addProject } from "../support/project-driver.ts";
import { addEffects, breakRecovery, recordState } from "../support/recoverable-session.ts";
import { beginSession, by, completed, type SessionDriver, started, textBlock } from "../support/session-driver.ts";

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
  restoreSession(
    env as unknown as Env,
    { session: driver.id, at: new Date(at).toISOString(), isConfirmed },
    Date.now(),
  );
const rows = async (table: string, column: string) => {
  const { results } = await env.DB.prepare(`SELECT * FROM ${table} WHERE ${column} = ?1`).bind(driver.id).all();
  return results;
};
const until = (read: () => Promise<unknown>) => expect.poll(read, { timeout: 20_000, interval: 20 });

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
    { isNew: true, handover: expect.stringMatching(/the first[^]*answer to the second/) },
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
