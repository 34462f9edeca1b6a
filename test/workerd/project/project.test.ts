// A project's object from a start to a live project: phases, the agent's turn over its link, the
// row of the project, repeats and evictions.
import { evictDurableObject, runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { beforeEach, expect, test } from "vitest";
import type { ProjectFacts } from "../../../durable-objects/project/rpc.ts";
import { createTextMessage } from "../../../src/chat/rules/message.ts";
import { readFireFacts } from "../../../src/cron/queries/crons.ts";
import { sweepUnusedMains } from "../../../src/deploy/sweep.ts";
import type { Env } from "../../../src/env.ts";
import { catalog } from "../../../src/model/catalog.ts";
import { unsealSettings } from "../../../src/project/settings.ts";
import type { Idempotency } from "../../../src/rules/idempotency.ts";
import { unusedMainDays } from "../../../src/rules/limits.ts";
import { isRefusal } from "../../../src/rules/refusal.ts";
import type { TurnEvent } from "../../../src/sandbox-protocol/protocol.ts";
import { sweepStaleSeals } from "../../../src/sweeps/stale-seals.ts";
import { captureLog } from "../support/captured-log.ts";
import { addProject, asks, connectProvider, reachedStatus } from "../support/project-driver.ts";
import { unusedUntil } from "../support/scripted-sandbox.ts";
import { by, completed, dial, started, textBlock } from "../support/session-driver.ts";
import { sweepWhole } from "../support/sweep-whole.ts";

let facts: ProjectFacts;
const project = () => env.PROJECT.getByName(facts.projectId);
const sandbox = (key = facts.mainSandboxKey) => env.SANDBOX.getByName(key);
const run = (sql: string, ...values: unknown[]) =>
  env.DB.prepare(sql)
    .bind(...values)
    .run();

beforeEach(async () => {
  facts = await addProject();
});

const connect = () => connectProvider(facts);

async function start(content: string | null = null, repeat: Idempotency | null = null) {
  const opening = content === null ? null : createTextMessage(content);
  const begun = await project().start(facts, { by, opening, onlyIfIdle: false }, repeat);
  if (isRefusal(begun)) throw new Error(begun.message);
  return begun.result;
}

const reached = (status: string) => reachedStatus(facts, status);

const row = () =>
  env.DB.prepare("SELECT deploy_status, is_live, holds_sessions_up, main_sandbox_key FROM projects WHERE id = ?1")
    .bind(facts.projectId)
    .first();

/** Runs the agent's turn to its end. */
async function work(events: TurnEvent[] = [textBlock(0, "It runs."), completed]): Promise<string> {
  const { chat } = await reached("running_agent");
  const turnId = chat.turn?.id ?? "";
  const link = await dial(project(), turnId, 1);
  for (const [place, event] of [started, ...events].entries()) await link.tell(place + 1, event);
  return turnId;
}

test("a Deploy delays sessions until its sandbox is the live one", async () => {
  await connect();
  const { deployId } = await start("Use port 3000.");
  expect(await row()).toMatchObject({ holds_sessions_up: 1, is_live: 0 });
  await reached("running_agent");
  await expect.poll(async () => (await sandbox().requests()).length).toBe(1);
  const [request] = await sandbox().requests();
  expect(request?.prompt).toContain("Use port 3000.");
  expect(request).toMatchObject({
    agentToken: "",
    owner: { type: "project", id: facts.projectId },
    profile: { git: "fetch" },
  });
  const turnId = await work();
  const { liveSandboxKey } = await reached("deployed");
  expect(liveSandboxKey).toBe(facts.mainSandboxKey);
  expect(await row()).toMatchObject({ holds_sessions_up: 0, is_live: 1, main_sandbox_key: facts.mainSandboxKey });
  const { view, messages } = await project().deployChat(facts);
  expect(view).toMatchObject({ deploy: { id: deployId, error: null }, activeTurnId: null, lastTurnId: turnId });
  const told = await new Response(messages).json<{ role: string; deployJobId: string }[]>();
  expect(told.map(({ role }) => role)).toEqual(["system", "user", "assistant", "system"]);
  expect(new Set(told.map((message) => message.deployJobId))).toEqual(new Set([deployId]));
});

test("without credentials a Deploy starts, creates no sandbox and fails with what to connect", async () => {
  await start();
  const { deploy } = await reached("failed");
  expect(deploy?.error).toContain("anthropic or openai");
  expect(deploy?.sandboxKey).toBeNull();
  expect(await sandbox().asked()).not.toContain("bring up");
  const message = { by, body: createTextMessage("Go on."), answers: [], seenDeployId: null };
  expect(await project().send(facts, message, null)).toMatchObject({ code: "NOT_DEPLOYED" });
});

test("the agent of a first Deploy whose services do not respond in time has the model of the workspace", async () => {
  captureLog();
  await connect();
  await sandbox().behave("throws");
  await start();
  await runInDurableObject(project(), (_, { storage }) => {
    storage.sql.exec("UPDATE deploys SET status = 'starting_services', phase_due_at = 1");
    storage.sql.exec("UPDATE reminders SET at = 1 WHERE name = 'phase-overdue'");
  });
  await evictDurableObject(project());
  await runDurableObjectAlarm(project());
  await expect
    .poll(() => project().read())
    .toMatchObject({
      deploy: { status: "running_agent", error: null },
      chat: { model: expect.stringContaining("anthropic") },
    });
});

test("repeats of a start get its result, and concurrent starts leave one running Deploy", async () => {
  await connect();
  const repeat = { key: "start", bodyHash: "a" };
  const [one, other] = await Promise.all([start(null, repeat), start(null, repeat)]);
  expect(one).toEqual(other);
  await Promise.all([start(), start()]);
  const { deploys, total } = await project().deploys(1, 10);
  expect([total, deploys.map(({ number }) => number)]).toEqual([3, [3, 2, 1]]);
  expect(deploys.map(({ status }) => status).slice(1)).toEqual(["cancelled", "cancelled"]);
  expect((await project().deploys(2, 2)).deploys.map(({ id }) => id)).toEqual([one.deployId]);
});

test("a draft is sealed again with the project's settings, and keeps its content", async () => {
  await connect();
  await start();
  const { chat } = await reached("running_agent");
  const turnId = chat.turn?.id ?? "";
  await dial(project(), turnId, 1);
  await project().settingsForAgent({ turnId, generation: 1 }, { env: { TOKEN: "drafted" } });
  const draft = async () => (await project().read())?.draft?.settings ?? null;
  const before = await draft();
  await env.DB.prepare("UPDATE projects SET settings_key = 'k1' WHERE id = ?1").bind(facts.projectId).run();
  const SEALING_KEYS = `k2:${"B".repeat(43)},${env.SEALING_KEYS}`;
  await sweepWhole(sweepStaleSeals, { ...(env as unknown as Env), SEALING_KEYS }, 0);
  const after = await draft();
  expect(after).not.toEqual(before);
  const open = (settings: typeof after) =>
    settings && unsealSettings(env.SEALING_KEYS, { id: facts.projectId, settings });
  expect((await open(after))?.env).toEqual({ TOKEN: "drafted" });
});

test("an object that is evicted while its agent works continues", async () => {
  await connect();
  await start();
  await reached("running_agent");
  await evictDurableObject(project());
  await work();
  expect((await reached("deployed")).deploy?.number).toBe(1);
});

test("an object that is evicted twice in each phase continues: one sandbox, one promotion, one answer", async () => {
  await connect();
  // The work of a phase breaks, is repeated by the next object, breaks again, and then succeeds.
  const evictedTwice = async (asked: string) => {
    await expect.poll(() => sandbox().asked()).toContain(asked);
    await evictDurableObject(project());
    const state = await project().read();
    await evictDurableObject(project());
    await sandbox().behave("takes");
    return state?.deploy?.status;
  };
  await sandbox().behave("throws");
  const { deployId } = await start("Use port 3000.");
  expect(await evictedTwice("bring up")).toBe("creating_sandbox");
  const handedOver = (count: number) => expect.poll(async () => (await sandbox().requests()).length).toBe(count);
  await handedOver(1);
  await work(asks);
  await reached("awaiting_user");
  expect(await evictedTwice("bring up")).toBe("awaiting_user");
  const answer = { by, body: createTextMessage(""), answers: [{ question: 0, option: "8080" }], seenDeployId: null };
  expect(await project().send(facts, answer, null)).toMatchObject({ result: { delivery: "job", deployId } });
  await handedOver(2);
  await sandbox().behave("throws");
  const turnId = await work();
  expect(await evictedTwice("warm")).toBe("warming");
  const { deploy, liveSandboxKey } = await reached("deployed");
  expect([deploy?.id, deploy?.number, liveSandboxKey]).toEqual([deployId, 1, facts.mainSandboxKey]);
  const { messages } = await project().deployChat(facts);
  const told = await new Response(messages).json<{ role: string; content: string | null }[]>();
  expect(told.filter(({ content }) => content === "The sandbox of this Deploy is live now.")).toHaveLength(1);
  expect(told.filter(({ role }) => role === "assistant")).toHaveLength(2);
  const requests = await sandbox().requests();
  expect(requests.findLast((request) => request.turnId === turnId)?.prompt).toContain("8080");
  expect(new Set((await sandbox().asked()).filter((asked) => asked.startsWith("start"))).size).toBe(2);
});

test("a stop returns the queued messages, and a message resumes the Deploy in its sandbox", async () => {
  await connect();
  await start();
  await reached("running_agent");
  const stopped = await project().cancel(facts, by);
  expect(stopped).toMatchObject({ cancelled: 1, discarded: [] });
  const request = { by, body: createTextMessage("Go on."), answers: [], seenDeployId: null };
  const { deploy } = await reached("cancelled");
  expect(await project().send(facts, { ...request, seenDeployId: deploy?.id ?? "" }, null)).toMatchObject({
    code: "JOB_STOPPED",
  });
  await expect.poll(async () => (await project().read())?.chat.turn?.status).toBe("cancelled");
  const sent = await project().send(facts, request, null);
  expect(sent).toMatchObject({ result: { delivery: "job", status: "running_agent", deployId: deploy?.id } });
  await work();
  expect((await reached("deployed")).liveSandboxKey).toBe(facts.mainSandboxKey);
});

test.each(["stopped", "failed"])("after a Deploy that was %s, a message updates the live project", async (how) => {
  await connect();
  await start();
  await work();
  await reached("deployed");
  await start();
  await reached("running_agent");
  if (how === "stopped") await project().cancel(facts, by);
  else await work([{ type: "ended", outcome: { status: "failed", error: "It broke.", errorCode: null } }]);
  await reached(how === "stopped" ? "cancelled" : "failed");
  const turn = async () => (await project().read())?.chat.turn;
  await expect.poll(async () => ["cancelled", "failed"].includes((await turn())?.status ?? "")).toBe(true);
  const request = { by, body: createTextMessage("Go on."), answers: [], seenDeployId: null };
  expect(await project().send(facts, request, null)).toMatchObject({ result: { delivery: "job", status: "updating" } });
  await expect.poll(async () => (await turn())?.status).toBe("pending");
  const link = await dial(project(), (await turn())?.id ?? "", 1);
  for (const [place, event] of [started, textBlock(0, "It runs."), completed].entries())
    await link.tell(place + 1, event);
  await expect.poll(async () => (await project().read())?.deploy?.status).not.toBe("updating");
  expect(await project().read()).toMatchObject({
    deploy: { status: "deployed" },
    liveSandboxKey: facts.mainSandboxKey,
  });
});

test("a Deploy that its sender saw was stopped if it was replaced while it ran, and not if it had ended", async () => {
  await connect();
  const seen = async (seenDeployId: string) => {
    const sent = await project().send(facts, { by, body: createTextMessage("And."), answers: [], seenDeployId }, null);
    return isRefusal(sent) ? sent.code : sent.result.delivery;
  };
  const { deployId: ended } = await start();
  await work();
  await reached("deployed");
  const { deployId: replaced } = await start();
  expect(await seen(ended)).toBe("steer");
  await reached("running_agent");
  const { deployId: running } = await start();
  expect([await seen(replaced), await seen(ended), await seen(running)]).toEqual(["JOB_STOPPED", "steer", "steer"]);
  await project().cancel(facts, by);
  expect([await seen(running), await seen(replaced)]).toEqual(["JOB_STOPPED", "JOB_STOPPED"]);
  const opening = { by, opening: createTextMessage("Start."), onlyIfIdle: true };
  expect(await project().start(facts, { ...opening, seenDeployId: running }, null)).toMatchObject({
    code: "JOB_STOPPED",
  });
  expect(await seen(ended)).not.toBe("JOB_STOPPED");
});

test("a project that is live without a Deploy says so, and has none to continue", async () => {
  facts = { ...facts, isLive: true };
  const { view } = await project().deployChat(facts);
  expect(view).toMatchObject({ status: "deployed", deploy: null, sandboxKey: null });
  const request = { by, body: createTextMessage("Go on."), answers: [], seenDeployId: null };
  expect(await project().send(facts, request, null)).toMatchObject({ code: "NOT_DEPLOYED" });
});

test("the sweep reclaims the main sandbox of a live project that nobody used; then neither a message nor a cron finds one", async () => {
  await connect();
  await start();
  await work();
  await reached("deployed");
  facts = { ...facts, isLive: true };
  const sleptAt = () =>
    env.DB.prepare("SELECT main_slept_at AS at FROM projects WHERE id = ?1").bind(facts.projectId).first<number>("at");
  await run("UPDATE projects SET main_slept_at = 1 WHERE id = ?1", facts.projectId);
  const now = Date.now();
  await sweepWhole(sweepUnusedMains, env, now);
  expect(await sleptAt()).toBe(unusedUntil - unusedMainDays * 24 * 60 * 60_000);
  const fire = async () =>
    (await readFireFacts(env.DB, { ...facts, projectIds: [facts.projectId], userIds: [] }, catalog))?.projects[0]
      ?.mainSandboxKey;
  expect(await fire()).toBe(facts.mainSandboxKey);

  await sandbox().behave("takes", { sandbox: "gone" });
  await sweepWhole(sweepUnusedMains, env, now);
  expect((await project().read())?.isMainReclaimed).toBe(false);
  await run("UPDATE projects SET main_slept_at = 1 WHERE id = ?1", facts.projectId);
  await sweepWhole(sweepUnusedMains, env, now);
  expect([(await project().read())?.isMainReclaimed, await fire()]).toEqual([true, null]);
  expect(await row()).toMatchObject({ is_live: 1, deploy_status: "deployed" });
  const request = { by, body: createTextMessage("Go on."), answers: [], seenDeployId: null };
  expect(await project().send(facts, request, null)).toMatchObject({ code: "NOT_DEPLOYED" });

  expect(await project().recover(facts, facts.mainSandboxKey)).toBe(true);
  const recovered = await reached("deployed");
  expect([recovered.deploy?.trigger, recovered.deploy?.hasAgentRun, recovered.isMainReclaimed]).toEqual([
    "system",
    false,
    false,
  ]);
  expect(await fire()).toBe(recovered.liveSandboxKey);
});

test("a deleted project keeps no sandbox and no Deploy", async () => {
  await connect();
  await start();
  await reached("running_agent");
  await project().delete();
  expect(await project().read()).toBeNull();
  await expect.poll(() => sandbox().asked()).toContain("destroy");
});
