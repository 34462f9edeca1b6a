// The activity that a session records: each event once, however often its write is repeated.
import { evictDurableObject, runDurableObjectAlarm } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, test, vi } from "vitest";
import { beginSession, by, sessionWithPullRequest, started } from "../support/session-driver.ts";

interface Row extends Record<string, unknown> {
  kind: string;
  actor_id: string | null;
  payload: string;
  created_at: number;
}

async function recorded(sessionId: string): Promise<Row[]> {
  const of = env.DB.prepare("SELECT * FROM activity WHERE session_id = ?1 ORDER BY seq").bind(sessionId);
  return (await of.all<Row>()).results;
}
const kinds = async (sessionId: string) => (await recorded(sessionId)).map(({ kind }) => kind);
const models = { runnable: new Set(["anthropic"] as const) };

test("the actions of a member are recorded with the actor, and in order", async () => {
  const driver = await sessionWithPullRequest("active", "draft");
  await driver.session().update({ priority: "high" }, by, models);
  await driver.session().delete(by);
  await expect.poll(() => kinds(driver.id)).toEqual(["session_started", "session_priority_changed", "session_deleted"]);
  const [, priority] = await recorded(driver.id);
  const { record } = driver;
  expect(priority).toMatchObject({
    ...{ workspace_id: record.workspaceId, project_id: record.projectId, project_name: "P", session_id: driver.id },
    ...{ actor_id: "usr_1", source: null, subject: "A test", payload: '{"from":"none","to":"high"}' },
  });
});

test("messages of one member are recorded once a day, whether they start a turn or are queued", async () => {
  vi.useFakeTimers({ toFake: ["Date"], now: Date.UTC(2030, 0, 1, 23) });
  try {
    const driver = await beginSession();
    await driver.startTurn("one");
    await driver.send("two");
    await evictDurableObject(driver.session());
    await driver.send("three");
    const said = async () => (await kinds(driver.id)).filter((kind) => kind === "session_message_sent").length;
    await driver.settled();
    expect(await said()).toBe(1);
    vi.setSystemTime(Date.UTC(2030, 0, 2, 1));
    await driver.send("four");
    await expect.poll(said).toBe(2);
  } finally {
    vi.useRealTimers();
  }
});

test("an event is recorded once, even if D1 refused it at first and its object restarted", async () => {
  const driver = await beginSession();
  await driver.settled();
  await env.DB.prepare("ALTER TABLE activity RENAME TO activity_away").run();
  try {
    await driver.session().update({ priority: "urgent" }, by, models);
    const waiting = () =>
      driver.sql<{ attempts: number }>("SELECT attempts FROM effects WHERE key LIKE 'record-events%'");
    await expect.poll(async () => (await waiting())[0]?.attempts).toBeGreaterThan(0);
    await evictDurableObject(driver.session());
    expect(await waiting()).toHaveLength(1);
  } finally {
    await env.DB.prepare("ALTER TABLE activity_away RENAME TO activity").run();
  }
  await runDurableObjectAlarm(driver.session());
  await expect.poll(() => kinds(driver.id)).toEqual(["session_started", "session_priority_changed"]);
});

test("a clarification is recorded as observed by the service", async () => {
  const driver = await beginSession();
  const turnId = await driver.startTurn("one");
  const link = await driver.link(turnId);
  await link.tell(1, started);
  await link.tell(2, { type: "ended", outcome: { status: "awaiting_response" } });
  await expect.poll(() => kinds(driver.id)).toContain("job_awaiting_response");
  expect((await recorded(driver.id)).at(-1)).toMatchObject({ kind: "job_awaiting_response", actor_id: null });
});

test("a merge names the member who connected the account that merged", async () => {
  const now = Date.now();
  await env.DB.batch([
    env.DB.prepare("INSERT INTO users (id, name, email, created_at) VALUES ('usr_merger', 'Mo', 'mo@example.com', 0)"),
    env.DB.prepare(
      `INSERT INTO code_host_identities (user_id, host_user_id, login, name, email, sealed, created_at)
       VALUES ('usr_merger', '5', 'mo-before', 'Mo', 'mo@example.com', '', 0)`,
    ),
  ]);
  const driver = await sessionWithPullRequest("active", "open");
  const merge = { type: "pull-request", number: 7, url: "u", state: "merged", base: null, sha: "a" } as const;
  const event = { ...merge, changedAt: now, mergedBy: { hostUserId: "5", login: "mo" } };
  await driver.session().handleEvent(event);
  await driver.session().handleEvent(event);
  await expect.poll(() => kinds(driver.id)).toContain("pr_merged");
  const merges = (await recorded(driver.id)).filter(({ kind }) => kind === "pr_merged");
  expect(merges.map(({ payload }) => JSON.parse(payload))).toEqual([
    { sessionTitle: "A test", pullRequestNumber: 7, mergedBy: { login: "mo", userId: "usr_merger", name: "Mo" } },
  ]);
});
