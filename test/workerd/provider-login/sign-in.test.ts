// Connecting a login at a model provider, from the login token to the revocation of its tokens.
import { abortAllDurableObjects } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { startPersonDeletion } from "../../../src/deletion/queries/person.ts";
import { startWorkspaceDeletion } from "../../../src/deletion/queries.ts";
import type { Env } from "../../../src/env.ts";
import type { ProviderId } from "../../../src/model/rules/provider.ts";
import { listPayerLogins } from "../../../src/model-gateway/payer.ts";
import { finishSignIn, startSignIn } from "../../../src/provider-login/connect/attempt.ts";
import { revokeDue } from "../../../src/provider-login/connect/revoke.ts";
import { unsealTokens } from "../../../src/provider-login/credentials.ts";
import { disconnectAll } from "../../../src/provider-login/disconnect.ts";
import { getLoginName, listUserLogins } from "../../../src/provider-login/queries/logins.ts";
import { workspacePays } from "../../../src/provider-login/rules/payer.ts";
import type { SignInClaim } from "../../../src/provider-login/rules/sign-in.ts";
import { sweepSignIns } from "../../../src/provider-login/sweep.ts";
import { isRefusal } from "../../../src/rules/refusal.ts";
import { standIn } from "../support/outside.ts";
import { addUser, addWorkspaceWith } from "../support/people.ts";
import { sweepWhole } from "../support/sweep-whole.ts";

// What a connect uses of the product's bindings is among those of the tests.
const settings = env as unknown as Env;
let mia: string;
/** The grants that the token endpoints received. */
let grants: Map<string, string>[];
/** The revoked tokens. */
let revoked: string[];
/** Responses that replace the normal ones. */
let answers: Record<"token" | "account" | "revoke", (() => Response)[]>;
let ends: (() => void)[];

const json = (body: object, status = 200) => Response.json(body, { status });

/**
 * Issues tokens for a code or a device code, which is the name of the account. A code works once.
 */
async function token(request: Request): Promise<Response> {
  const form = new Map([...(await request.formData())].map(([name, value]) => [name, String(value)]));
  const account = form.get("code") ?? form.get("device_code") ?? "";
  const isUsed = grants.some((grant) => grant.get("code") === account);
  grants.push(form);
  const told = answers.token.shift();
  if (told) return told();
  // Another call that finishes the same connect attempt has time to arrive meanwhile.
  await scheduler.wait(10);
  if (isUsed || account === "wrong") return json({ error: "invalid_grant" }, 400);
  const tokens = { access_token: `access-${account}`, refresh_token: `refresh-${account}`, expires_in: 3_600 };
  return json(tokens);
}

function account(request: Request): Response {
  const sub = request.headers.get("authorization")?.replace("Bearer access-", "").replace(/\d+$/, "");
  return answers.account.shift()?.() ?? json({ sub, email: `${sub}@example.com` });
}

async function revoke(request: Request): Promise<Response> {
  const told = answers.revoke.shift();
  if (told) return told();
  revoked.push(String((await request.formData()).get("token")));
  return new Response();
}

const device = () =>
  json({
    device_code: "phone",
    user_code: "AB-12",
    verification_uri: "https://provider.test/type",
    expires_in: 600,
    interval: 60,
  });

beforeEach(async () => {
  mia = await addUser("mia");
  [grants, revoked, answers] = [[], [], { token: [], account: [], revoke: [] }];
  ends = [
    standIn("https://sign-in.test/token", token),
    standIn("https://provider.test/token", token),
    standIn("https://sign-in.test/account", account),
    standIn("https://provider.test/account", account),
    standIn("https://sign-in.test/revoke", revoke),
    standIn("https://provider.test/device", device),
  ];
});
afterEach(async () => {
  for (const end of ends) end();
  await env.DB.prepare("DELETE FROM token_revocations").run();
});

const claim = (provider: ProviderId = "anthropic"): SignInClaim => ({
  owner: { type: "member", id: mia },
  provider,
  callerId: mia,
});

async function begin(of = claim(), from = settings) {
  const started = await startSignIn(from, of, Date.now());
  if (isRefusal(started)) throw new Error(started.message);
  return started;
}

const finish = (loginToken: string, code?: string, of = claim()) => finishSignIn(settings, of, { loginToken, code });

async function signIn(code: string) {
  return await finish((await begin()).loginToken, code);
}

function deleteMia(): Promise<boolean> {
  const person = { id: mia, login: null, names: [], addresses: [] };
  return startPersonDeletion(env.DB, person, { now: Date.now(), audit: env.DB.prepare("SELECT 1") });
}

const labels = async () => (await listUserLogins(env.DB, mia)).map(({ label }) => label);
const until = (isThere: () => boolean | Promise<boolean>) => vi.waitUntil(isThere, { timeout: 60_000 });
const connected = { authenticated: true };
const getCode = (outcome: unknown) => (isRefusal(outcome) ? outcome.code : outcome);

describe("a login in the browser", () => {
  test("shows the hash of its verifier, and connects the account of its code", async () => {
    const started = await begin();
    const url = new URL("url" in started ? started.url : "");
    expect(`${url.origin}${url.pathname}`).toBe("https://sign-in.test/authorize");
    const { state, code_challenge, ...query } = Object.fromEntries(url.searchParams);
    expect(query).toEqual({
      response_type: "code",
      client_id: "tests",
      redirect_uri: "https://sign-in.test/code",
      code_challenge_method: "S256",
    });
    expect(await finish(started.loginToken, `https://sign-in.test/code?code=mia&state=${state}`)).toEqual(connected);
    const [grant] = grants;
    const hash = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(grant?.get("code_verifier") ?? ""));
    expect(Buffer.from(hash).toString("base64url")).toBe(code_challenge);
    const [login] = await listUserLogins(env.DB, mia);
    if (!login) throw new Error("no login");
    expect(login).toMatchObject({ kind: "login", label: "mia@example.com", accountEmail: "mia@example.com", place: 0 });
    const tokens = await unsealTokens(settings, getLoginName(login), login.sealed);
    expect(tokens).toEqual({ accessToken: "access-mia", refreshToken: "refresh-mia" });
    const { results } = await env.DB.prepare("SELECT * FROM sign_in_attempts").all();
    expect(JSON.stringify([results, login])).not.toMatch(/svc_login_|access-mia|refresh-mia/);
  });

  test("that two concurrent calls finish connects once, and both get that result, also when repeated", async () => {
    const { loginToken } = await begin();
    const both = await Promise.all([finish(loginToken, "mia"), finish(loginToken, "mia")]);
    expect(both).toEqual([connected, connected]);
    expect(await finish(loginToken, "anything")).toEqual(connected);
    expect([grants.length, await labels()]).toEqual([1, ["mia@example.com"]]);
  });

  test("continues after a refused code, another state, and an unavailable provider", async () => {
    const { loginToken } = await begin();
    expect(await finish(loginToken, "wrong")).toEqual({ authenticated: false });
    expect(await finish(loginToken, "mia#another")).toEqual({ authenticated: false });
    expect(getCode(await finish(loginToken))).toBe("VALIDATION_ERROR");
    answers.token = [() => json({}, 503)];
    expect(getCode(await finish(loginToken, "mia"))).toBe("SERVICE_UNAVAILABLE");
    answers.token = [() => json({ error: "invalid_client" }, 401)];
    expect(await finish(loginToken, "mia")).toMatchObject({ message: expect.stringContaining("MODEL_LOGIN_CLIENTS") });
    expect(await labels()).toEqual([]);
    grants = [];
    expect(await finish(loginToken, "mia")).toEqual(connected);
  });

  test("loses no tokens that were issued, also when the objects die before the account is known", async () => {
    const { loginToken } = await begin();
    answers.account = [() => json({}, 503)];
    expect(getCode(await finish(loginToken, "mia"))).toBe("SERVICE_UNAVAILABLE");
    await abortAllDurableObjects();
    expect(await finish(loginToken, "mia")).toEqual(connected);
    expect(grants.length).toBe(1);
  });

  test("expires", async () => {
    const { loginToken } = await begin();
    await env.DB.prepare("UPDATE sign_in_attempts SET expires_at = ?2 WHERE caller_id = ?1")
      .bind(mia, Date.now())
      .run();
    expect(await finish(loginToken, "mia")).toEqual({ authenticated: false, restart: true });
    await sweepWhole(sweepSignIns, settings, Date.now() + 25 * 3_600_000);
    expect(getCode(await finish(loginToken, "mia"))).toBe("BAD_REQUEST");
  });

  test.each<[string, () => Promise<unknown>]>([
    [
      "expires",
      () => env.DB.prepare("UPDATE sign_in_attempts SET expires_at = 0 WHERE caller_id = ?1").bind(mia).run(),
    ],
    ["whose person is deleted", () => deleteMia()],
  ])("that has tokens and %s leaves none of them valid", async (_, end) => {
    const { loginToken } = await begin();
    answers.account = [() => json({}, 503)];
    expect(getCode(await finish(loginToken, "mia"))).toBe("SERVICE_UNAVAILABLE");
    await begin();
    await end();
    await sweepWhole(sweepSignIns, settings, Date.now());
    expect(await env.DB.prepare("SELECT * FROM sign_in_attempts WHERE caller_id = ?1").bind(mia).first()).toBeNull();
    expect(revoked.toSorted()).toEqual(["access-mia", "refresh-mia"]);
  });

  test("connects an account in place of its earlier login, whatever happens concurrently, and no sixth", async () => {
    await signIn("mia");
    await signIn("anna");
    const [first] = await listUserLogins(env.DB, mia);
    await env.DB.prepare("UPDATE provider_logins SET needs_reauth = 1 WHERE id = ?1").bind(first?.id).run();
    expect(await Promise.all(["mia2", "mia3", "mia4"].map(signIn))).toEqual([connected, connected, connected]);
    const [again] = await listUserLogins(env.DB, mia);
    expect(again).toMatchObject({ id: first?.id, needsReauth: false });
    const [many, rest] = await Promise.all([Promise.all(["ben", "cleo"].map(signIn)), signIn("mia5")]);
    expect([...many, rest]).toEqual([connected, connected, connected]);
    await signIn("dan");
    const { loginToken } = await begin();
    expect(getCode(await finish(loginToken, "eve"))).toBe("PROVIDER_LOGIN_LIMIT");
    expect(getCode(await finish(loginToken, "eve"))).toBe("PROVIDER_LOGIN_LIMIT");
    expect(await signIn("anna2")).toEqual(connected);
    expect((await labels()).toSorted()).toEqual(
      ["anna", "ben", "cleo", "dan", "mia"].map((name) => `${name}@example.com`),
    );
    // Nobody holds the tokens that were not stored.
    await until(() => revoked.length === 2);
    expect(revoked.toSorted()).toEqual(["access-eve", "refresh-eve"]);
  });
});

describe("a login by device code", () => {
  const openai = () => claim("openai");
  const poll = (loginToken: string) => finish(loginToken, undefined, openai());
  const pending = () => json({ error: "authorization_pending" }, 400);
  const wait = () =>
    env.DB.prepare("UPDATE sign_in_attempts SET next_poll_at = 0 WHERE caller_id = ?1").bind(mia).run();

  test("polls no sooner than the provider wants, and more slowly when it says so", async () => {
    const started = await begin(openai());
    expect(started).toMatchObject({
      userCode: "AB-12",
      verificationUrl: "https://provider.test/type",
      intervalSeconds: 60,
    });
    answers.token = [pending, () => json({ error: "slow_down" }, 400)];
    const { loginToken } = started;
    expect(await poll(loginToken)).toEqual({ authenticated: false, intervalSeconds: 60 });
    expect(await poll(loginToken)).toEqual({ authenticated: false, intervalSeconds: 60 });
    expect(grants.length).toBe(1);
    await wait();
    expect(await poll(loginToken)).toEqual({ authenticated: false, intervalSeconds: 65 });
    expect(await poll(loginToken)).toEqual({ authenticated: false, intervalSeconds: 65 });
    await wait();
    expect(await poll(loginToken)).toEqual(connected);
    expect(await poll(loginToken)).toEqual(connected);
    expect([grants.length, await labels()]).toEqual([3, ["phone@example.com"]]);
  });

  test.each(["access_denied", "expired_token"])("has to start again after %s", async (error) => {
    const { loginToken } = await begin(openai());
    answers.token = [() => json({ error }, 400)];
    const restart = { authenticated: false, restart: true };
    expect([await poll(loginToken), await poll(loginToken)]).toEqual([restart, restart]);
    expect(grants.length).toBe(1);
  });
});

test.each([
  ["anthropic", "{}", /the setting MODEL_LOGIN_CLIENTS lacks "anthropic"\.$/],
  ["anthropic", '{"anthropic":{"clientId":"c","tokenUrl":"https://p/t"}}', /lacks "authorizeUrl" of "anthropic"\.$/],
  ["openai", '{"openai":{"clientId":"c","tokenUrl":"https://p/t"}}', /lacks "deviceUrl" of "openai"\.$/],
  [
    "openai",
    '{"openai":{"clientId":"c","tokenUrl":"http://p/t","deviceUrl":"https://p/d","userInfoUrl":"https://p/u"}}',
    /"tokenUrl" of "openai" in the setting MODEL_LOGIN_CLIENTS has to be https\.$/,
  ],
] as const)("nobody connects to %s with the clients %s", async (provider, clients, message) => {
  const refusal = await startSignIn({ ...settings, MODEL_LOGIN_CLIENTS: clients }, claim(provider), Date.now());
  expect(refusal).toMatchObject({ code: "SERVICE_UNAVAILABLE", message: expect.stringMatching(message) });
});

describe("the tokens of a login are revoked", () => {
  const user = () => ({ id: mia, name: "mia", email: "mia@example.com", imageUrl: null });

  test("when it is disconnected, again if the provider does not respond", async () => {
    await signIn("mia");
    answers.revoke = [() => json({}, 503), () => json({}, 503)];
    await disconnectAll(settings, user(), "anthropic");
    await until(() => answers.revoke.length === 0);
    expect(revoked).toEqual([]);
    await until(async () => {
      await revokeDue(settings, Date.now() + 120_000);
      return revoked.length > 0;
    });
    expect(revoked.toSorted()).toEqual(["access-mia", "refresh-mia"]);
    await until(async () => (await env.DB.prepare("SELECT 1 FROM token_revocations").first()) === null);
  });

  test("when a workspace's sign-in that has them expires, although the workspace has another login", async () => {
    const { workspaceId } = await addWorkspaceWith({ owner: "owner" });
    const of: SignInClaim = { ...claim(), owner: { type: "workspace", id: workspaceId } };
    expect(await finish((await begin(of)).loginToken, "ops", of)).toEqual(connected);
    answers.account = [() => json({}, 503)];
    expect(getCode(await finish((await begin(of)).loginToken, "late", of))).toBe("SERVICE_UNAVAILABLE");
    await sweepWhole(sweepSignIns, settings, Date.now() + 25 * 3_600_000);
    expect(revoked.toSorted()).toEqual(["access-late", "refresh-late"]);
  });

  test("when another account, or the end of the workspace, replaces a workspace's", async () => {
    const { workspaceId, users } = await addWorkspaceWith({ owner: "owner" });
    const of: SignInClaim = { ...claim(), owner: { type: "workspace", id: workspaceId } };
    const signInThere = async (code: string) => finish((await begin(of)).loginToken, code, of);
    const personal = await begin();
    expect(getCode(await finish(personal.loginToken, "ops", of))).toBe("BAD_REQUEST");
    expect(await signInThere("ops")).toEqual(connected);
    expect(await signInThere("ops2")).toEqual(connected);
    expect(await signInThere("money")).toEqual(connected);
    await until(() => revoked.length === 2);
    expect(revoked.toSorted()).toEqual(["access-ops2", "refresh-ops2"]);
    const { logins } = await listPayerLogins(env, { workspaceId, provider: "anthropic", payer: workspacePays });
    expect(logins).toMatchObject([{ label: "money@example.com" }]);
    answers.account = [() => json({}, 503)];
    expect(getCode(await signInThere("late"))).toBe("SERVICE_UNAVAILABLE");
    await startWorkspaceDeletion(env.DB, { id: workspaceId, name: "Acme", ownerId: users.owner }, Date.now());
    await sweepWhole(sweepSignIns, settings, Date.now());
    const last = ["access-late", "access-money", "refresh-late", "refresh-money"];
    expect(revoked.slice(2).toSorted()).toEqual(last);
  });
});
