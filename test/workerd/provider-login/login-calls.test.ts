// Model calls on a login, made by live turns at the model gateway: they are not affected when its
// token expires, and report when it has ended.
import { abortAllDurableObjects, evictDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, test } from "vitest";
import { getProviderLoginObject } from "../../../durable-objects/address.ts";
import type { TurnOwner } from "../../../src/chat/rules/chat.ts";
import type { Env } from "../../../src/env.ts";
import { forwardModelCall } from "../../../src/model-gateway/gateway-route.ts";
import { refreshTokens } from "../../../src/provider-login/connect/token-endpoint.ts";
import { sealTokens, unsealTokens } from "../../../src/provider-login/credentials.ts";
import { getWorkspaceLogin, type LoginName } from "../../../src/provider-login/rules/login.ts";
import { issueToken } from "../../../src/sandbox/token.ts";
import { opusGrant } from "../support/opus-grant.ts";
import { accessToken, openScriptedSignIn, refreshToken, tokenUrl } from "../support/scripted-sign-in.ts";
import { beginSession } from "../support/session-driver.ts";

// The bindings of the tests are the Worker's, except for a scripted sandbox, which no model call
// reaches.
const settings = env as unknown as Env;
const provider = openScriptedSignIn();
const past = () => Date.now() - 1_000;
const soon = () => Date.now() + 45_000;
const later = () => Date.now() + 3_600_000;
const noAnswer = () => new Response("no", { status: 500 });

let name: LoginName;
beforeEach(() => {
  provider.forget();
  name = getWorkspaceLogin(`ws_${crypto.randomUUID()}`, "anthropic");
});

/** Connects the workspace, and returns the sealed tokens. */
async function connect(expiresAt: number | null, access = accessToken(0)): Promise<string> {
  const sealed = await sealTokens(settings, name, { accessToken: access, refreshToken: refreshToken(0) });
  await env.DB.prepare(
    `INSERT OR REPLACE INTO provider_logins (id, owner_type, owner_id, provider, place, kind, sealed, expires_at, label, authenticated_at)
     VALUES (?1, 'workspace', ?2, 'anthropic', 0, 'login', ?3, ?4, '0000', 0)`,
  )
    .bind(name.id, name.owner.id, sealed, expiresAt)
    .run();
  return sealed;
}

async function storedSealed(): Promise<string> {
  const query = env.DB.prepare("SELECT sealed FROM provider_logins WHERE id = ?1");
  return (await query.bind(name.id).first<string>("sealed")) ?? "";
}

/** Runs a turn up to the point where its agent may call its model, and returns its way to call. */
async function liveTurn() {
  const driver = await beginSession();
  const turnId = await driver.startTurn("hello");
  const owner: TurnOwner = { type: "session", id: driver.id };
  const token = await issueToken(
    settings,
    {
      workspaceId: name.owner.id,
      projectId: "p",
      owner,
      sandboxKey: "s",
      git: "push",
      branch: "b",
      generation: 1,
      turnId,
      ...opusGrant,
    },
    later(),
  );
  return async (body = '{"model":"opus"}') => {
    const url = "http://service.test/internal/models/anthropic/v1/messages";
    const request = new Request(url, { method: "POST", headers: { "x-api-key": token }, body });
    const answer = await forwardModelCall(request, settings, "anthropic", "/v1/messages");
    return { status: answer.status, text: await answer.text() };
  };
}

/** Makes the database refuse every change of the login until the returned function is called. */
async function refuseChanges(): Promise<() => Promise<void>> {
  const trigger = `refuse_${name.owner.id.replaceAll("-", "_")}`;
  await env.DB.prepare(
    `CREATE TRIGGER ${trigger} BEFORE UPDATE ON provider_logins WHEN old.id = '${name.id}'
     BEGIN SELECT RAISE(ABORT, 'no change now'); END`,
  ).run();
  return async () => void (await env.DB.prepare(`DROP TRIGGER ${trigger}`).run());
}

describe("twenty turns that call concurrently", () => {
  test.each([
    ["on a login that has expired: one refresh, and none is refused", past, accessToken(0), 0],
    ["with a token that the provider takes no more before its time: one refresh", later, "revoked", 20],
  ])("%s; all succeed", async (_, expiresAt, access, refused) => {
    await connect(expiresAt(), access);
    const calls = await Promise.all(Array.from({ length: 20 }, liveTurn));
    const answers = await Promise.all(calls.map((call, place) => call(`{"model":"opus","max_tokens":${place}}`)));
    expect(answers.map(({ status }) => status)).toEqual(calls.map(() => 200));
    // The repeated call was sent whole.
    expect(provider.accepted.toSorted()).toEqual(
      calls.map((_, place) => `{"model":"opus","max_tokens":${place}}`).toSorted(),
    );
    expect([provider.shown, provider.refused]).toEqual([[refreshToken(0)], refused]);
  });
});

test("a token is refreshed in the last minute before its expiry, not earlier", async () => {
  const call = await liveTurn();
  for (const expiresAt of [later(), null]) {
    await connect(expiresAt);
    expect((await call()).status).toBe(200);
  }
  expect(provider.shown).toEqual([]);
  await connect(soon());
  expect((await call()).status).toBe(200);
  expect(provider.shown).toEqual([refreshToken(0)]);
});

test("while a token is valid, an unavailable token endpoint blocks no call", async () => {
  await connect(soon());
  provider.nextAnswers.push(noAnswer, noAnswer, noAnswer);
  expect((await (await liveTurn())()).status).toBe(200);
  expect(provider.accepted).toHaveLength(1);
});

test.each([
  ["is put to sleep", () => evictDurableObject(getProviderLoginObject(env, name))],
  ["dies", () => abortAllDurableObjects()],
])("new tokens serve every call while the database takes no change, also when the object %s", async (_, end) => {
  await connect(past());
  const allow = await refuseChanges();
  const call = await liveTurn();
  expect((await call()).status).toBe(200);
  await end();
  expect((await call()).status).toBe(200);
  expect(await unsealTokens(settings, name, await storedSealed())).toMatchObject({ refreshToken: refreshToken(0) });
  await end();
  await allow();
  expect((await call()).status).toBe(200);
  expect(await unsealTokens(settings, name, await storedSealed())).toMatchObject({ refreshToken: refreshToken(1) });
  expect(provider.shown).toEqual([refreshToken(0)]);
});

test("a caller whose new token is refused too gets another one", async () => {
  const old = await connect(past());
  await getProviderLoginObject(env, name).refresh(name, old);
  const present = await storedSealed();
  // The first is answered with the present token, which the second has tried.
  const [first, second] = await Promise.all([
    getProviderLoginObject(env, name).refresh(name, old),
    getProviderLoginObject(env, name).refresh(name, present),
  ]);
  expect([first, second]).toMatchObject([
    { type: "refreshed", accessToken: accessToken(1) },
    { type: "refreshed", accessToken: accessToken(2) },
  ]);
});

describe("a call that cannot be made returns the reason", () => {
  const failures: [string, (() => Response)[], number, RegExp][] = [
    [
      "the login is over",
      [() => Response.json({ error: "invalid_grant" }, { status: 400 })],
      401,
      /has to connect Anthropic again/,
    ],
    ["the sign-in does not answer", [noAnswer, noAnswer, noAnswer], 503, /Anthropic could not be refreshed just now/],
    [
      "the provider refuses the operator's client",
      [() => Response.json({ error: "invalid_client" }, { status: 401 })],
      424,
      /Anthropic refuses the client that the setting MODEL_LOGIN_CLIENTS names/,
    ],
    [
      "the sign-in leads elsewhere, where the refresh token is not carried",
      [() => new Response(null, { status: 307, headers: { location: "http://elsewhere.test/token" } })],
      503,
      /Anthropic could not be refreshed just now/,
    ],
  ];
  test.each(failures)("%s", async (_, answers, status, message) => {
    await connect(past());
    provider.nextAnswers.push(...answers);
    const answer = await (await liveTurn())();
    expect(answer.status).toBe(status);
    expect(JSON.parse(answer.text).error.message).toMatch(message);
    expect([provider.shown.length, provider.accepted.length]).toEqual([answers.length, 0]);
  });

  test("if the provider refuses the new token too, the call is not repeated again", async () => {
    await connect(later(), "revoked");
    provider.nextAnswers.push(() => Response.json({ access_token: "no better", expires_in: 3600 }));
    expect((await (await liveTurn())()).status).toBe(401);
    expect([provider.refused, provider.shown.length]).toEqual([2, 1]);
  });
});

test("a slow token endpoint is called again", async () => {
  provider.nextAnswers.push(
    ({ signal }) => new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason))),
  );
  const answerWaitMs = 100;
  expect(await refreshTokens({ tokenUrl, clientId: "tests" }, refreshToken(0), answerWaitMs)).toMatchObject({
    type: "tokens",
    tokens: { accessToken: accessToken(1) },
  });
});

test("a call above the size limit is refused in the provider's format, and not sent", async () => {
  await connect(later());
  const call = await liveTurn();
  const { status, text } = await call(`{"model":"opus","system":"${"x".repeat(32 * 1_024 * 1_024)}"}`);
  expect([status, JSON.parse(text)]).toMatchObject([413, { type: "error", error: { type: "request_too_large" } }]);
  expect(provider.accepted).toEqual([]);
});

test("a call that the turn's token does not grant is not sent, and refreshes no token", async () => {
  await connect(past());
  const call = await liveTurn();
  for (const body of ['{"model":"sonnet"}', '{"model":"opus","background":true}', "no JSON"]) {
    expect((await call(body)).status).toBe(403);
  }
  expect([provider.accepted, provider.shown]).toEqual([[], []]);
});
