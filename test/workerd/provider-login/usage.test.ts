// The usage of model calls: counted as their responses stream, once each, in the turn and in the
// workspace's report, and compared with spend limits.
import { evictDurableObject, runDurableObjectAlarm } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { Env } from "../../../src/env.ts";
import { providers } from "../../../src/model/providers.ts";
import { forwardModelCall } from "../../../src/model-gateway/gateway-route.ts";
import { countAnswer } from "../../../src/model-gateway/usage-meter.ts";
import type { Payer } from "../../../src/provider-login/rules/payer.ts";
import { saveWorkspaceCredential } from "../../../src/provider-login/workspace-credential.ts";
import { issueToken } from "../../../src/sandbox/token.ts";
import type { NewSession } from "../../../src/session/rules/session.ts";
import { indexUsage, readUsage } from "../../../src/usage/queries.ts";
import type { UsageGrouping } from "../../../src/usage/rules/report.ts";
import { addMemberKey } from "../support/member-logins.ts";
import { opusGrant } from "../support/opus-grant.ts";
import { standIn } from "../support/outside.ts";
import { addWorkspaceWith } from "../support/people.ts";
import { beginSession, by, completed, type SessionDriver, started } from "../support/session-driver.ts";

const settings = env as unknown as Env;
const workspacePays: Payer = { type: "workspace" };
/** A call of this many tokens costs a cent at the price of the model of these turns. */
const model = "anthropic:opus__high";
const cent = { input_tokens: 500, cache_read_input_tokens: 0, output_tokens: 400 };
let workspaceId: string;
let mia: string;
let answer: () => Response;

const event = (data: object) => `event: e\ndata: ${JSON.stringify(data)}\n\n`;
const streamed = (...events: object[]) =>
  new Response(events.map(event).join(""), { headers: { "content-type": "text/event-stream" } });
const start = (usage: object) => ({ type: "message_start", message: { usage } });

beforeEach(async () => {
  const { workspaceId: id, users } = await addWorkspaceWith({ mia: "member" });
  [workspaceId, mia] = [id, users.mia];
  answer = () => Response.json({ type: "message", usage: cent });
  const end = standIn("https://api.anthropic.com", () => answer());
  await saveWorkspaceCredential(
    settings,
    { workspaceId, provider: "anthropic", apiKey: "sk-key-of-the-workspace-01" },
    0,
  );
  return end;
});

async function begin(changes: Partial<NewSession> = {}) {
  const driver = await beginSession(null, { workspaceId, model, ...changes });
  const turnId = await driver.startTurn("hello");
  await vi.waitUntil(async () => (await driver.session().turn(turnId))?.payer, 20_000);
  return { driver, turnId };
}

type Begun = Awaited<ReturnType<typeof begin>>;

async function call(driver: SessionDriver, turnId: string, payer = workspacePays): Promise<Response> {
  const owner = { type: "session", id: driver.id } as const;
  const claims = { workspaceId, projectId: "p", owner, sandboxKey: "s", git: "push", branch: "b" } as const;
  const token = await issueToken(
    settings,
    { ...claims, ...opusGrant, generation: 1, turnId, payer },
    Date.now() + 60_000,
  );
  const headers = { "x-api-key": token };
  const request = new Request("http://service.test", { method: "POST", headers, body: '{"model":"opus"}' });
  return await forwardModelCall(request, settings, "anthropic", "/v1/messages");
}

const readCode = async (response: Response) => ((await response.json()) as { error?: { code?: string } }).error?.code;
const readTurnUsage = async (driver: SessionDriver, turnId: string) => (await driver.session().turn(turnId))?.usage;
const report = (by: UsageGrouping, memberId: string | null = null) =>
  readUsage(env.DB, { workspaceId, by, memberId, from: 0, to: Date.now() + 1, starts: null });
/** Lets the time pass after which the workspace gets the usage of a running turn. */
async function tell(driver: SessionDriver): Promise<void> {
  await driver.sql("UPDATE reminders SET at = 1 WHERE name = 'tell-usage'");
  await runDurableObjectAlarm(driver.session());
  await driver.settled();
}
const limit = (usd: number | null) =>
  env.DB.prepare("UPDATE workspaces SET spend_limit_usd = ?2 WHERE id = ?1").bind(workspaceId, usd).run();

describe("the event of a workspace's limit", () => {
  const place = { workspaceId: "", projectId: "p", owner: { type: "session", id: "s" } as const, memberId: null };
  const counts = { model: "opus", payerId: null, inputTokens: 10, cachedTokens: 0, outputTokens: 1 };
  const day = new Date().toISOString().slice(0, 10);
  const use = async (workId: string, calls: number, usd: number) =>
    await indexUsage(env.DB, { ...place, workspaceId, cronId: null, triggerId: null }, workId, [
      { ...counts, day, calls, nanoUsd: usd * 1e9, at: Date.now() },
    ]);
  const listKept = async () => {
    const rows = env.DB.prepare("SELECT event FROM webhook_events WHERE event ->> 'workspaceId' = ?1 ORDER BY id");
    return (await rows.bind(workspaceId).all<{ event: string }>()).results.map(({ event }) => JSON.parse(event));
  };
  const addWebhook = () =>
    env.DB.prepare(
      `INSERT INTO webhooks (id, workspace_id, name, url, events, include_text, sealed, status, created_at, updated_at)
       VALUES (?1, ?2, 'Spend', 'https://hooks.example.com', '["*"]', 0, '', 'disabled', 0, 0)`,
    )
      .bind(crypto.randomUUID(), workspaceId)
      .run();

  // The sweep sends what is kept, and these webhooks cannot sign.
  afterEach(() =>
    env.DB.prepare("DELETE FROM webhook_events WHERE event ->> 'workspaceId' = ?1").bind(workspaceId).run(),
  );

  test("is kept once, when the month reaches the limit, and again at a higher limit", async () => {
    await addWebhook();
    await limit(2);
    expect(await use("a", 1, 1)).toBeNull();
    const reached = await use("a", 2, 2.5);
    expect(await use("a", 2, 2.5)).toBeNull();
    expect(await use("b", 1, 1)).toBeNull();
    const event = { type: "spend.limit_reached", workspaceId, projectId: null, by: null, text: null };
    const first = { ...event, id: reached, at: expect.any(Number), data: { limit: "workspace", limitUsd: 2 } };
    expect(await listKept()).toEqual([first]);
    await limit(4);
    expect(await use("b", 2, 2)).not.toBeNull();
    expect((await listKept()).map(({ data }) => data.limitUsd)).toEqual([2, 4]);
  });

  test.each([
    ["without a webhook", 2, false],
    ["without a limit", null, true],
  ])("is not kept %s", async (_, usd, hasWebhook) => {
    if (hasWebhook) await addWebhook();
    await limit(usd);
    expect(await use("a", 1, 3)).toBeNull();
    expect(await listKept()).toEqual([]);
  });
});

test("a report has the sum of each interval, also of one in which nothing was used", async () => {
  const place = {
    workspaceId,
    projectId: "p",
    owner: { type: "session", id: "s" },
    cronId: null,
    triggerId: null,
  } as const;
  const counts = { model: "opus", payerId: null, calls: 1, inputTokens: 10, cachedTokens: 0, outputTokens: 1 };
  for (const [at, memberId, nanoUsd] of [
    [99, mia, 1],
    [100, mia, 2],
    [199, null, 4],
    [300, mia, 8],
    [399, mia, null],
    [400, mia, 16],
  ] as const) {
    const day = `1970-01-${String(at)}`;
    await indexUsage(env.DB, { ...place, memberId }, `work-${at}`, [{ ...counts, day, nanoUsd, at }]);
  }
  const range = { workspaceId, by: "model", from: 100, to: 400, starts: [100, 200, 300] } as const;
  const { series, total } = await readUsage(env.DB, { ...range, memberId: null });
  const costs = series?.map(({ from, turns, calls, nanoUsd }) => [from, turns, calls, nanoUsd]);
  expect(costs).toEqual([
    [100, 2, 2, 6],
    [200, 0, 0, null],
    [300, 2, 2, 8],
  ]);
  expect(total).toMatchObject({ calls: 4, nanoUsd: 14, inputTokens: 40 });
  const own = await readUsage(env.DB, { ...range, memberId: mia });
  expect(own.series?.map(({ nanoUsd }) => nanoUsd)).toEqual([2, null, 8]);
  expect((await report("model")).series).toBeNull();
});

describe("a call's usage", () => {
  test("is in its turn when its response has ended, streamed or not, and is added up", async () => {
    const { driver, turnId } = await begin();
    await (await call(driver, turnId)).text();
    const counted = { inputTokens: 500, cachedTokens: 0, outputTokens: 400, nanoUsd: 1e7, payer: "workspace" };
    expect(await readTurnUsage(driver, turnId)).toEqual(counted);
    const events = [
      start({ input_tokens: 10, output_tokens: 1 }),
      { type: "message_delta", usage: { output_tokens: 5 } },
    ];
    answer = () => streamed(...events);
    const stream = await call(driver, turnId);
    expect(await stream.text()).toBe(events.map(event).join(""));
    expect(await readTurnUsage(driver, turnId)).toMatchObject({
      inputTokens: 510,
      outputTokens: 405,
      nanoUsd: 1e7 + 140_000,
    });
    expect((await report("session")).total.calls).toBe(0);
    await tell(driver);
    expect((await report("session")).total).toMatchObject({
      turns: 1,
      calls: 2,
      inputTokens: 510,
      nanoUsd: 1e7 + 140_000,
    });
  });

  test("is the usage so far if the agent cancels, also for a turn that has ended", async () => {
    const { driver, turnId } = await begin();
    const open = new ReadableStream({
      start: (controller) =>
        controller.enqueue(new TextEncoder().encode(event(start({ input_tokens: 70, output_tokens: 2 })))),
    });
    answer = () => new Response(open, { headers: { "content-type": "text/event-stream" } });
    const reader = (await call(driver, turnId)).body?.getReader();
    await reader?.read();
    await driver.session().cancel(turnId, by);
    const next = await driver.startTurn("next");
    await reader?.cancel();
    await vi.waitUntil(() => readTurnUsage(driver, turnId), 20_000);
    expect(await readTurnUsage(driver, turnId)).toMatchObject({ inputTokens: 70, outputTokens: 2 });
    expect(await readTurnUsage(driver, next)).toBeNull();
  });

  test("is counted once, however often it is reported, and stays with the object", async () => {
    const { driver, turnId } = await begin();
    const told = {
      id: "call-1",
      workId: turnId,
      payer: workspacePays,
      tokens: { input: 1, cacheRead: 2, cacheWrite: 0, output: 3 },
    };
    await Promise.all([1, 2, 3].map(() => driver.session().countCall(told)));
    await evictDurableObject(driver.session());
    await driver.session().countCall(told);
    expect(await readTurnUsage(driver, turnId)).toMatchObject({ inputTokens: 1, cachedTokens: 2, outputTokens: 3 });
    for (const _ of [1, 2]) await tell(driver);
    const { total } = await report("model");
    expect(total).toMatchObject({ calls: 1, cachedTokens: 2 });
    const spent = await env.DB.prepare("SELECT sum(nano_usd) AS spent FROM workspace_spend WHERE workspace_id = ?1")
      .bind(workspaceId)
      .first("spent");
    expect(spent).toBe(total.nanoUsd);
  });

  test("costs nothing on a subscription", async () => {
    await addMemberKey(mia, { provider: "anthropic", apiKey: "sk-key-of-mia-0123456789-1" });
    const { driver, turnId } = await begin();
    await (await call(driver, turnId, { type: "member", userId: mia })).text();
    expect(await readTurnUsage(driver, turnId)).toMatchObject({ inputTokens: 500, nanoUsd: null, payer: "member" });
    await tell(driver);
    expect((await report("project")).total).toMatchObject({ inputTokens: 500, nanoUsd: null });
  });

  test("is reported to the workspace when the turn has ended, and afterwards with each late response", async () => {
    const { driver, turnId } = await begin();
    const late = await call(driver, turnId);
    await (await call(driver, turnId)).text();
    const link = await driver.link(turnId);
    await link.tell(1, started);
    await link.tell(2, completed);
    expect((await driver.session().turn(turnId))?.status).toBe("completed");
    expect((await report("session")).total.calls).toBe(1);
    await late.text();
    expect((await report("session")).total.calls).toBe(2);
  });

  test("is counted if the object has forgotten the call's counter", async () => {
    const { driver, turnId } = await begin();
    const owner = { type: "session", id: driver.id } as const;
    const fails = () => Promise.reject(new Error("began anew"));
    const made = { owner, workId: turnId, payer: workspacePays, provider: providers.anthropic };
    const withCounter = (counter: { countSoon: () => Promise<void>; count: () => Promise<void> }) => {
      const { promise: ended, resolve } = Promise.withResolvers<void>();
      const opened = { counter, [Symbol.dispose]: resolve };
      return { ended, text: () => countAnswer(settings, answer(), { ...made, opened }).text() };
    };
    await withCounter({ countSoon: fails, count: fails }).text();
    expect(await readTurnUsage(driver, turnId)).toMatchObject({ inputTokens: 500, outputTokens: 400 });
    // It forgot the usage that it had received before that was stored.
    const heard = withCounter({ countSoon: async () => undefined, count: fails });
    await heard.text();
    await heard.ended;
    expect(await readTurnUsage(driver, turnId)).toMatchObject({ inputTokens: 1_000, outputTokens: 800 });
  });
});

test("a report sums up by session, member, project, cron and model, and shows a member their own", async () => {
  const filedBy = {
    type: "cron-run",
    cronId: "cron-1",
    runId: "run-1",
    user: null,
    role: null,
    writer: "creator",
  } as const;
  const { driver, turnId } = await begin();
  await (await call(driver, turnId)).text();
  const cron = await beginSession(null, { workspaceId, model });
  await cron.sql(
    "UPDATE session SET filed_by = ?",
    JSON.stringify({ kind: "cron", cronId: filedBy.cronId, runId: "r" }),
  );
  await evictDurableObject(cron.session());
  const other = await cron.startTurn("hello");
  for (const _ of [1, 2]) await (await call(cron, other)).text();
  for (const one of [driver, cron]) await tell(one);
  const ids = async (by: UsageGrouping, memberId: string | null = null) =>
    (await report(by, memberId)).groups.map(({ id, calls }) => [id, calls]);
  expect(await ids("session")).toEqual([
    [cron.id, 2],
    [driver.id, 1],
  ]);
  expect(await ids("member")).toEqual([["usr_1", 3]]);
  expect(await ids("project")).toEqual([
    [cron.record.projectId, 2],
    [driver.record.projectId, 1],
  ]);
  expect(await ids("cron")).toEqual([
    ["cron-1", 2],
    [null, 1],
  ]);
  expect(await ids("model")).toEqual([[model, 3]]);
  expect(await ids("session", "usr_other")).toEqual([]);
});

describe("a spend limit", () => {
  test("of the workspace ends a running turn at its next call, but none on a subscription", async () => {
    await addMemberKey(mia, { provider: "anthropic", apiKey: "sk-key-of-mia-0123456789-1" });
    await limit(0.02);
    const { driver, turnId } = await begin();
    for (const _ of [1, 2]) await (await call(driver, turnId)).text();
    const refused = await call(driver, turnId);
    expect([refused.status, await readCode(refused)]).toEqual([403, "credit_limit_reached"]);
    expect((await call(driver, turnId, { type: "member", userId: mia })).status).toBe(200);
    await limit(1);
    expect((await call(driver, turnId)).status).toBe(200);
  });

  test("of the workspace counts the calls of the turn itself immediately, each once, and those of others once they were reported", async () => {
    await limit(0.03);
    const [one, other] = [await begin(), await begin()];
    const spendCent = async ({ driver, turnId }: Begun) => void (await (await call(driver, turnId)).text());
    const isAllowed = async ({ driver, turnId }: Begun) => {
      answer = () => Response.json({ type: "message" });
      const response = await call(driver, turnId);
      answer = () => Response.json({ type: "message", usage: cent });
      const text = await response.text();
      return response.ok || (JSON.parse(text) as { error: { code: string } }).error.code;
    };
    await spendCent(one);
    await tell(one.driver);
    // Both have one cent that only their own object knows, besides one cent that was reported.
    await spendCent(one);
    await spendCent(other);
    expect(await isAllowed(other)).toBe(true);
    await spendCent(one);
    expect(await isAllowed(one)).toBe("credit_limit_reached");
    expect(await isAllowed(other)).toBe(true);
    await tell(one.driver);
    expect(await isAllowed(other)).toBe("credit_limit_reached");
  });

  test("of the session applies only to that session", async () => {
    const { driver, turnId } = await begin({ spendLimitUsd: 0.02 });
    await (await call(driver, turnId)).text();
    await (await call(driver, turnId)).text();
    expect(await readCode(await call(driver, turnId))).toBe("credit_limit_reached");
    const other = await begin();
    expect((await call(other.driver, other.turnId)).status).toBe(200);
  });

  test("refuses a send, and fails a queued message, after which the rest stays queued", async () => {
    const { driver, turnId } = await begin({ spendLimitUsd: 0.01 });
    for (const content of ["second", "third"]) await driver.send(content);
    const link = await driver.link(turnId);
    await link.tell(1, started);
    await (await call(driver, turnId)).text();
    await link.tell(2, completed);
    const failed = await vi.waitUntil(async () => {
      const { turn } = (await driver.state()).chat;
      return turn?.status === "failed" ? turn : null;
    }, 20_000);
    expect(failed).toMatchObject({
      number: 2,
      errorCode: "credit_limit_reached",
      error: expect.stringContaining("$0.01"),
    });
    const { upNext, pause } = (await driver.state()).chat;
    expect([upNext.map(({ content }) => content), pause?.reason]).toEqual([["third"], "failed"]);
    expect(await driver.send("fourth")).toMatchObject({ code: "CREDIT_LIMIT_REACHED" });
  });
});

test("an error after content marks its login, and the stream is forwarded unchanged", async () => {
  const id = await addMemberKey(mia, { provider: "anthropic", apiKey: "sk-key-of-mia-0123456789-1" });
  const { driver, turnId } = await begin();
  const events = [
    start(cent),
    { type: "content_block_start" },
    { type: "error", error: { type: "rate_limit_error", message: "usage limit" } },
  ];
  answer = () => streamed(...events);
  const stream = await call(driver, turnId, { type: "member", userId: mia });
  expect(await stream.text()).toBe(events.map(event).join(""));
  const until = env.DB.prepare("SELECT exhausted_until AS until FROM provider_logins WHERE id = ?1").bind(id);
  expect(await until.first<number>("until")).toBeGreaterThan(Date.now());
  expect(await readTurnUsage(driver, turnId)).toMatchObject({ inputTokens: 500 });
});
