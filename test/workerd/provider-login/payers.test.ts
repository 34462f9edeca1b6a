// Who pays for a turn, from its start to its model calls.
import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, test, vi } from "vitest";
import type { Sender } from "../../../src/access/rules/actor.ts";
import type { Env } from "../../../src/env.ts";
import { forwardModelCall } from "../../../src/model-gateway/gateway-route.ts";
import { disconnectAll, disconnectOne } from "../../../src/provider-login/disconnect.ts";
import { findMemberModels } from "../../../src/provider-login/queries/subscriptions.ts";
import type { Payer } from "../../../src/provider-login/rules/payer.ts";
import { saveWorkspaceCredential } from "../../../src/provider-login/workspace-credential.ts";
import { isRefusal } from "../../../src/rules/refusal.ts";
import { issueToken } from "../../../src/sandbox/token.ts";
import type { Assignee } from "../../../src/session/rules/session.ts";
import { addMemberKey } from "../support/member-logins.ts";
import { opusGrant } from "../support/opus-grant.ts";
import { standIn } from "../support/outside.ts";
import { addUser, addWorkspaceWith } from "../support/people.ts";
import { beginSession } from "../support/session-driver.ts";

// The bindings of the tests are the Worker's, except for a scripted sandbox, which no model call
// reaches.
const settings = env as unknown as Env;
let workspaceId: string;
let mia: string;
/** The keys of the calls to the provider. */
let shown: (string | null)[];
/** The bodies of these calls. */
let bodies: string[];
/** What happens while it responds. */
let beforeAnswer: () => Promise<void>;
/** Its response to keys with this ending; others are valid. */
let answers: Record<string, () => Response>;

beforeEach(async () => {
  const { workspaceId: id, users } = await addWorkspaceWith({ mia: "member" });
  [workspaceId, mia, shown, bodies, answers] = [id, users.mia, [], [], {}];
  beforeAnswer = async () => {};
  return standIn("https://api.anthropic.com", async (request) => {
    const key = request.headers.get("x-api-key");
    shown.push(key);
    bodies.push(await request.text());
    await beforeAnswer();
    return answers[key?.slice(-1) ?? ""]?.() ?? Response.json({ type: "message" });
  });
});

const key = (end: string) => `sk-key-of-somebody-0123456789-${end}`;
const hold = (end: string, state = {}) => addMemberKey(mia, { provider: "anthropic", apiKey: key(end), ...state });
const assignee = (): Assignee => ({ kind: "member", userId: mia, name: "mia", imageUrl: null });
const drop = () => env.DB.prepare("DELETE FROM provider_logins WHERE owner_id = ?1").bind(mia).run();

async function findPayer(changes: { assignee?: Assignee | null }): Promise<Payer | null> {
  const driver = await beginSession(null, { workspaceId, ...changes });
  const turnId = await driver.startTurn("hello");
  return await vi.waitUntil(async () => (await driver.session().turn(turnId))?.payer, 20_000);
}

describe("a turn's payer is settled as it starts", () => {
  test("its Assignee, who holds a login that may be at its limit or have to be connected again", async () => {
    await hold("1", { needsReauth: true, exhaustedUntil: Date.now() + 1e6 });
    expect(await findPayer({ assignee: assignee() })).toEqual({ type: "member", userId: mia });
  });

  test("the workspace, for an Assignee without a login of the provider, and for one who has left", async () => {
    await addMemberKey(mia, { provider: "zai", apiKey: key("1") });
    expect(await findPayer({ assignee: assignee() })).toEqual({ type: "workspace" });
    await hold("2");
    await env.DB.prepare("DELETE FROM members WHERE user_id = ?1").bind(mia).run();
    expect(await findPayer({ assignee: assignee() })).toEqual({ type: "workspace" });
  });
});

test("a turn's agent replies in its sender's style, else in its Assignee's", async () => {
  const style = (id: string, replyStyle: string) =>
    env.DB.prepare("UPDATE users SET reply_style = ?2 WHERE id = ?1").bind(id, replyStyle).run();
  await style(mia, "not_tech");
  const driver = await beginSession(null, { workspaceId, assignee: assignee() });
  const told = async (sender: Sender, count: number) => {
    const delivery = await driver.send("hello", { by: sender });
    const [request] = (
      await vi.waitUntil(async () => {
        const requests = await driver.sandbox.requests();
        return requests.length === count ? requests : null;
      }, 20_000)
    ).slice(-1);
    if (!isRefusal(delivery) && delivery.delivery === "job") await driver.session().cancel(delivery.turnId, sender);
    return /everyday words|does not program/.exec(request?.profile.instructions ?? "")?.[0];
  };
  expect(await told({ type: "relay" }, 1)).toBe("does not program");
  const zoe = await addUser("zoe");
  await style(zoe, "simplified");
  const user = { id: zoe, name: "zoe", email: "zoe@example.com", imageUrl: null };
  expect(await told({ type: "member", user, role: "member" }, 2)).toBe("everyday words");
});

/** Calls the model in the name of a live turn that this payer pays for. */
async function rawCall(payer: Payer): Promise<{ status: number; text: string }> {
  const driver = await beginSession();
  const turnId = await driver.startTurn("hello");
  const claims = { workspaceId, projectId: "p", owner: { type: "session", id: driver.id }, sandboxKey: "s" } as const;
  const turn = { git: "push", branch: "b", generation: 1, turnId, ...opusGrant, payer } as const;
  const token = await issueToken(settings, { ...claims, ...turn }, Date.now() + 60_000);
  const request = new Request("http://service.test", {
    method: "POST",
    headers: { "x-api-key": token },
    body: '{"model":"opus"}',
  });
  const answer = await forwardModelCall(request, settings, "anthropic", "/v1/messages");
  return { status: answer.status, text: await answer.text() };
}

async function call(payer: Payer) {
  const { status, text } = await rawCall(payer);
  const body = JSON.parse(text) as { error?: { code: string; message: string } };
  return { status, code: body.error?.code, message: body.error?.message };
}

describe("a model call", () => {
  const member = (): Payer => ({ type: "member", userId: mia });

  test("takes the member's first login that is neither at its limit nor needs reconnecting", async () => {
    await hold("1", { needsReauth: true });
    await hold("2", { exhaustedUntil: Date.now() + 1e6 });
    await hold("3");
    await hold("4");
    expect(await call(member())).toMatchObject({ status: 200 });
    expect(shown).toEqual([key("3")]);
  });

  test("whose payer is the workspace runs on the workspace's", async () => {
    await hold("1");
    await saveWorkspaceCredential(settings, { workspaceId, provider: "anthropic", apiKey: key("ws") }, 0);
    shown = [];
    await call({ type: "workspace" });
    expect(shown).toEqual([key("ws")]);
  });

  test("says which member's subscription has to be repaired, and never falls back to the workspace", async () => {
    await saveWorkspaceCredential(settings, { workspaceId, provider: "anthropic", apiKey: key("ws") }, 0);
    shown = [];
    await hold("1", { needsReauth: true });
    const again = {
      status: 403,
      code: "subscription_needs_reauth",
      message: expect.stringMatching(/^mia's Anthropic/),
    };
    expect(await call(member())).toEqual(again);
    await drop();
    expect(await call(member())).toMatchObject({ status: 403, code: "subscription_disconnected" });
    await hold("1");
    await env.DB.prepare("DELETE FROM members WHERE user_id = ?1").bind(mia).run();
    expect(await call(member())).toMatchObject({ status: 403, code: "subscription_disconnected" });
    expect(shown).toEqual([]);
  });
});

describe("the key of a workspace", () => {
  const readMark = () =>
    env.DB.prepare("SELECT needs_reauth FROM provider_logins WHERE owner_id = ?1")
      .bind(workspaceId)
      .first("needs_reauth");
  const refuseWith = (status: number) => () => Response.json({ error: { message: "no" } }, { status });
  beforeEach(async () => {
    await saveWorkspaceCredential(settings, { workspaceId, provider: "anthropic", apiKey: key("ws") }, 0);
  });

  test("must be connected again after its provider has refused it, until a call succeeds", async () => {
    answers = { s: refuseWith(401) };
    expect(await call({ type: "workspace" })).toMatchObject({ status: 401 });
    expect(await readMark()).toBe(1);
    answers = { s: refuseWith(529) };
    await call({ type: "workspace" });
    expect(await readMark()).toBe(1);
    answers = {};
    expect(await call({ type: "workspace" })).toMatchObject({ status: 200 });
    expect(await readMark()).toBe(0);
  });

  test.each([403, 429, 500])("is not marked by a %d", async (status) => {
    answers = { s: refuseWith(status) };
    expect(await call({ type: "workspace" })).toMatchObject({ status });
    expect(await readMark()).toBe(0);
  });

  test("is not marked if it has replaced the refused one", async () => {
    const reseal = env.DB.prepare("UPDATE provider_logins SET sealed = 'another' WHERE owner_id = ?1").bind(
      workspaceId,
    );
    beforeAnswer = async () => void (await reseal.run());
    answers = { s: refuseWith(401) };
    await call({ type: "workspace" });
    expect(await readMark()).toBe(0);
  });
});

describe("a call that a login cannot take", () => {
  const member = (): Payer => ({ type: "member", userId: mia });
  const refusal = (status: number, message: string) => () =>
    Response.json({ type: "error", error: { type: "error", message } }, { status });
  const states = async () => {
    const { results } = await env.DB.prepare(
      "SELECT needs_reauth AS over, exhausted_until AS until FROM provider_logins WHERE owner_id = ?1 ORDER BY place",
    )
      .bind(mia)
      .all<{ over: number; until: number | null }>();
    return results.map(({ over, until }) => (over ? "over" : until === null ? "good" : "limited"));
  };

  test("is sent whole to the next, and those that refused it are not called again", async () => {
    for (const end of ["1", "2", "3", "4"]) await hold(end);
    answers = { 1: refusal(429, "usage limit reached"), 2: refusal(401, "invalid x-api-key") };
    expect(await call(member())).toMatchObject({ status: 200 });
    expect(shown).toEqual([key("1"), key("2"), key("3")]);
    expect(new Set(bodies)).toEqual(new Set(['{"model":"opus"}']));
    expect(await states()).toEqual(["limited", "over", "good", "good"]);
    await call(member());
    expect(shown.slice(3)).toEqual([key("3")]);
  });

  test("returns the provider's response if another login could not help", async () => {
    await hold("1");
    await hold("2");
    answers = { 1: refusal(529, "Overloaded") };
    expect(await call(member())).toMatchObject({ status: 529, message: "Overloaded" });
    expect([shown.length, await states()]).toEqual([1, ["good", "good"]]);
  });

  test("returns the response of the first if no plan has the model", async () => {
    await hold("1");
    await hold("2");
    answers = { 1: refusal(403, "Not in your plan, one"), 2: refusal(403, "Not in your plan, two") };
    expect(await call(member())).toMatchObject({ status: 403, message: "Not in your plan, one" });
    expect([shown.length, await states()]).toEqual([2, ["good", "good"]]);
  });

  test("fails for the limit that ends first, when all remaining ones are at their limits", async () => {
    await hold("1");
    await hold("2");
    answers = { 1: refusal(402, "Pay"), 2: refusal(401, "No") };
    const limit = {
      status: 403,
      code: "subscription_limit_reached",
      message: expect.stringMatching(/^mia's Anthropic/),
    };
    expect(await call(member())).toMatchObject(limit);
    expect(await states()).toEqual(["limited", "over"]);
  });

  test("is sent to the one that resets first, whose success clears its mark", async () => {
    await hold("1", { exhaustedUntil: Date.now() + 2e6 });
    await hold("2", { exhaustedUntil: Date.now() + 1e6 });
    expect(await call(member())).toMatchObject({ status: 200 });
    expect([shown, await states()]).toEqual([[key("2")], ["limited", "good"]]);
  });

  test("is sent to the next if a stream begins with the refusal, and is forwarded unchanged if it does not", async () => {
    await hold("1");
    await hold("2");
    const events = (...list: object[]) => list.map((data) => `event: e\ndata: ${JSON.stringify(data)}\n\n`).join("");
    const createStream = (text: string) => () =>
      new Response(text, { headers: { "content-type": "text/event-stream" } });
    const start = { type: "message_start" };
    const limit = { type: "error", error: { type: "rate_limit_error", message: "usage limit" } };
    const good = events(start, { type: "content_block_start" }, limit);
    answers = { 1: createStream(events(start, limit)), 2: createStream(good) };
    expect((await rawCall(member())).text).toBe(good);
    expect([shown, await states()]).toEqual([
      [key("1"), key("2")],
      ["limited", "limited"],
    ]);
    await env.DB.prepare("UPDATE provider_logins SET exhausted_until = NULL WHERE owner_id = ?1").bind(mia).run();
    const overloaded = events(start, { type: "error", error: { type: "overloaded_error", message: "Overloaded" } });
    answers = { 1: createStream(overloaded) };
    expect((await rawCall(member())).text).toBe(overloaded);
    answers = { 1: createStream(good) };
    expect((await rawCall(member())).text).toBe(good);
    expect(await states()).toEqual(["limited", "good"]);
  });

  test("marks no key that has replaced the refused one", async () => {
    const id = await hold("1");
    await hold("2");
    const reseal = env.DB.prepare("UPDATE provider_logins SET sealed = 'another' WHERE id = ?1").bind(id);
    beforeAnswer = async () => void (await reseal.run());
    answers = { 1: refusal(401, "No") };
    expect(await call(member())).toMatchObject({ status: 200 });
    expect(await states()).toEqual(["good", "good"]);
  });
});

test("a turn ends immediately when its subscription is disconnected, and releases its sandbox; no other turn does", async () => {
  const first = await hold("1");
  await hold("2");
  const user = { id: mia, name: "mia", email: "mia@example.com", imageUrl: null };
  const driver = await beginSession(null, { workspaceId, assignee: assignee() });
  const turnId = await driver.startTurn("hello");
  const link = await driver.link(turnId);
  await vi.waitUntil(async () => (await driver.session().turn(turnId))?.payer, 20_000);
  await link.tell(1, { type: "started", agentVersion: "1" });
  const isIndexed = env.DB.prepare("SELECT 1 FROM jobs WHERE id = ?1 AND payer_id = ?2").bind(turnId, mia);
  await vi.waitUntil(() => isIndexed.first(), 20_000);

  await disconnectAll(settings, user, "zai");
  await disconnectOne(settings, user, { provider: "anthropic", loginId: first });
  expect(await driver.session().turn(turnId)).toMatchObject({ status: "running" });
  const stopped = async () => (await driver.sandbox.asked()).filter((what) => /^stop|^retire/.test(what));
  expect(await stopped()).toEqual([]);
  await disconnectAll(settings, user, "anthropic");
  expect(await driver.session().turn(turnId)).toMatchObject({
    status: "failed",
    errorCode: "subscription_disconnected",
    error: expect.stringMatching(/^mia's Anthropic subscription was disconnected/),
  });
  expect(await driver.session().isTurnLive({ turnId, generation: 1 })).toBe(false);
  // Its sandbox is released once the agent there is stopped.
  await vi.waitUntil(async () => (await stopped()).includes("retire"), 20_000);
  expect(await stopped()).toEqual([`stop ${turnId}`, "retire"]);
  await disconnectAll(settings, user, "anthropic");
  await driver.settled();
  expect(await stopped()).toHaveLength(2);
});

test("the logins of members are listed by provider, and only those of members", async () => {
  await hold("1", { needsReauth: true });
  await hold("2");
  await addMemberKey(mia, { provider: "kimi", apiKey: key("3"), needsReauth: true });
  await env.DB.prepare("UPDATE users SET default_model = 'kimi:kimi__high' WHERE id = ?1").bind(mia).run();
  expect(await findMemberModels(env.DB, workspaceId, mia)).toEqual({
    userId: mia,
    defaultModel: "kimi:kimi__high",
    providers: [
      { provider: "anthropic", isUsable: true },
      { provider: "kimi", isUsable: false },
    ],
  });
  expect(await findMemberModels(env.DB, "ws_other", mia)).toBeNull();
});
