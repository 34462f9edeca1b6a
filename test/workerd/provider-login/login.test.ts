// The provider login object: an expired login is refreshed once, for every caller and whatever
// happens meanwhile.
import { evictDurableObject, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { getProviderLoginObject } from "../../../durable-objects/address.ts";
import { type LoginTokens, readCredential, sealTokens, unsealTokens } from "../../../src/provider-login/credentials.ts";
import { getWorkspaceLogin, type LoginName } from "../../../src/provider-login/rules/login.ts";

const hour = 3_600_000;
let name: LoginName;
/** The refresh tokens that the token endpoint received. */
let handedIn: string[];
/** The endpoint's responses, one after the other; afterwards new tokens. */
let troubles: (() => Response)[];
/** Releases the endpoint's responses; resolved unless a test delays them. */
let gate: Promise<void>;

beforeEach(() => {
  name = getWorkspaceLogin(crypto.randomUUID(), "openai");
  handedIn = [];
  troubles = [];
  gate = Promise.resolve();
  vi.spyOn(globalThis, "fetch").mockImplementation(async (input, init) => {
    expect([String(input), init?.method]).toEqual(["https://provider.test/token", "POST"]);
    const form = new URLSearchParams(String(init?.body));
    expect([form.get("grant_type"), form.get("client_id")]).toEqual(["refresh_token", "tests"]);
    handedIn.push(String(form.get("refresh_token")));
    await gate;
    const number = handedIn.length;
    return (
      troubles.shift()?.() ??
      Response.json({ access_token: `access-${number}`, refresh_token: `refresh-${number}`, expires_in: 3600 })
    );
  });
});
afterEach(() => vi.restoreAllMocks());

const sealed = (tokens: LoginTokens) => sealTokens(env, name, tokens);
const old = () => sealed({ accessToken: "access-0", refreshToken: "refresh-0" });

/** Stores an expired login in the database and returns its sealed text. */
async function putExpired(): Promise<string> {
  const text = await old();
  await env.DB.prepare(
    `INSERT INTO provider_logins (id, owner_type, owner_id, provider, place, kind, sealed, label, expires_at, authenticated_at)
     VALUES (?1, ?2, ?3, ?4, 0, 'login', ?5, '0000', ?6, 0)`,
  )
    .bind(name.id, name.owner.type, name.owner.id, name.provider, text, Date.now() - hour)
    .run();
  return text;
}

const object = () => getProviderLoginObject(env, name);
const refresh = (seen: string) => object().refresh(name, seen);
const held = () => readCredential(env, name);
const refreshed = (number: number) => ({
  type: "refreshed",
  accessToken: `access-${number}`,
  sealed: expect.any(String),
});
const invalidGrant = () => Response.json({ error: "invalid_grant" }, { status: 400 });
const broken = () => new Response("broken", { status: 503 });

test("20 concurrent callers get the token of one refresh, which is stored", async () => {
  const seen = await putExpired();
  const waiting = Promise.withResolvers<void>();
  gate = waiting.promise;
  const calls = Array.from({ length: 20 }, () => refresh(seen));
  await vi.waitUntil(() => handedIn.length > 0, 20_000);
  waiting.resolve();
  expect(await Promise.all(calls)).toEqual(calls.map(() => refreshed(1)));
  expect(handedIn).toEqual(["refresh-0"]);
  expect(await held()).toMatchObject({ accessToken: "access-1", refreshToken: "refresh-1", needsReauth: false });
});

test("a caller with an old token gets the current one without a request to the provider", async () => {
  const seen = await putExpired();
  await refresh(seen);
  expect(await refresh(seen)).toEqual(refreshed(1));
  await evictDurableObject(object());
  expect(await refresh(seen)).toEqual(refreshed(1));
  expect(handedIn).toEqual(["refresh-0"]);
});

test("a caller whose current token is refused gets a refreshed one", async () => {
  await refresh(await putExpired());
  const now = await held();
  expect(await refresh(now?.kind === "login" ? now.sealed : "")).toEqual(refreshed(2));
  expect(handedIn).toEqual(["refresh-0", "refresh-1"]);
});

test("a login that the provider refuses is marked, and not refreshed again", async () => {
  const seen = await putExpired();
  troubles = [invalidGrant];
  expect(await refresh(seen)).toEqual({ type: "needs-reauth" });
  expect(await held()).toMatchObject({ accessToken: "access-0", needsReauth: true });
  expect(await refresh(seen)).toEqual({ type: "needs-reauth" });
  expect(handedIn).toHaveLength(1);
});

test("transient errors are retried", async () => {
  const seen = await putExpired();
  troubles = [broken, broken];
  expect(await refresh(seen)).toEqual(refreshed(3));
  expect(handedIn).toEqual(["refresh-0", "refresh-0", "refresh-0"]);
});

test.each<[string, () => Response, number, string]>([
  ["trouble that does not pass", broken, 3, "unavailable"],
  ["an endpoint that is not there", () => new Response("", { status: 404 }), 1, "unavailable"],
  ["a page of something in between", () => new Response("<h1>Forbidden</h1>", { status: 403 }), 1, "unavailable"],
  [
    "a refusal of the operator's client",
    () => Response.json({ error: "invalid_client" }, { status: 401 }),
    1,
    "client-refused",
  ],
])("%s marks nothing, and the next caller tries again", async (_, trouble, requests, type) => {
  const seen = await putExpired();
  troubles = Array.from({ length: requests }, () => trouble);
  expect(await refresh(seen)).toEqual({ type });
  expect(handedIn).toHaveLength(requests);
  expect(await held()).toMatchObject({ accessToken: "access-0", needsReauth: false });
  expect(await refresh(seen)).toMatchObject({ type: "refreshed" });
});

test("a provider without a configured client is not called, and nothing is marked", async () => {
  name = getWorkspaceLogin(name.owner.id, "kimi");
  expect(await refresh(await putExpired())).toEqual({ type: "no-client" });
  expect(handedIn).toEqual([]);
  expect(await held()).toMatchObject({ needsReauth: false });
});

test("new tokens that were not stored before the object ended are not lost", async () => {
  const seen = await putExpired();
  const tokens = await sealed({ accessToken: "access-1", refreshToken: "refresh-1" });
  await runInDurableObject(object(), (_, { storage }) => {
    storage.kv.put("rotation", { from: seen, sealed: tokens, expiresAt: Date.now() + hour });
  });
  await evictDurableObject(object());
  expect(await refresh(seen)).toEqual(refreshed(1));
  expect(await held()).toMatchObject({ accessToken: "access-1", refreshToken: "refresh-1" });
  expect(handedIn).toEqual([]);
});

test.each([
  ["another account", "two", ["access-1"]],
  ["the same account", "one", []],
])(
  "a refresh during which %s replaced the login leaves no tokens of another account valid",
  async (_, fingerprint, expected) => {
    const seen = await putExpired();
    const replace = env.DB.prepare("UPDATE provider_logins SET fingerprint = ?2, sealed = ?3 WHERE id = ?1");
    await replace.bind(name.id, "one", seen).run();
    const waiting = Promise.withResolvers<void>();
    gate = waiting.promise;
    const call = refresh(seen);
    await vi.waitUntil(() => handedIn.length > 0, 20_000);
    await replace.bind(name.id, fingerprint, await old()).run();
    waiting.resolve();
    await call;
    const { results } = await env.DB.prepare("SELECT sealed FROM token_revocations WHERE owner_id = ?1")
      .bind(name.owner.id)
      .all<{ sealed: string }>();
    const queued = await Promise.all(results.map(({ sealed }) => unsealTokens(env, name, sealed)));
    expect(queued.map(({ accessToken }) => accessToken)).toEqual(expected);
  },
);

test("a login that was reconnected during a refresh stays", async () => {
  const seen = await putExpired();
  const waiting = Promise.withResolvers<void>();
  gate = waiting.promise;
  troubles = [invalidGrant];
  const call = refresh(seen);
  await vi.waitUntil(() => handedIn.length > 0, 20_000);
  const anew = await sealed({ accessToken: "anew", refreshToken: "anew" });
  await env.DB.prepare("UPDATE provider_logins SET sealed = ?2, expires_at = ?3 WHERE id = ?1")
    .bind(name.id, anew, Date.now() + hour)
    .run();
  waiting.resolve();
  await call;
  expect(await held()).toMatchObject({ accessToken: "anew", needsReauth: false });
});
