// The authorization server of /mcp, with a strict client: what its codes, its tokens, its page and
// its registration do not allow.
import * as oauth from "oauth4webapi";
import { beforeAll, describe, expect, test } from "vitest";
import { apiWorld } from "../support/api-world.ts";
import { type Browser, signIn } from "../support/browser.ts";
import { exchange } from "../support/http-exchange.ts";
import { createConsent, redirectUri } from "../support/oauth-consent.ts";
import { createInside } from "../support/world-inside.ts";

const world = apiWorld();
const origin = new URL(world.baseUrl).origin;
const resource = `${origin}/mcp`;
const { consent, call } = createConsent(world);
const insecure = { [oauth.allowInsecureRequests]: true };
let member: Browser;
beforeAll(async () => {
  member = await signIn(world, "member");
});
/** A strict client, step by step. */
async function prepare(more: Record<string, string> = {}, uris = [redirectUri]) {
  const issuer = new URL(origin);
  const server = await oauth.processDiscoveryResponse(
    issuer,
    await oauth.discoveryRequest(issuer, { algorithm: "oauth2", ...insecure }),
  );
  const registered = await oauth.processDynamicClientRegistrationResponse(
    await oauth.dynamicClientRegistrationRequest(
      server,
      { client_name: "Strict", redirect_uris: uris, token_endpoint_auth_method: "none" },
      insecure,
    ),
  );
  const client: oauth.Client = { client_id: registered.client_id };
  const verifier = oauth.generateRandomCodeVerifier();
  const url = new URL(server.authorization_endpoint ?? "");
  url.search = new URLSearchParams({
    client_id: client.client_id,
    redirect_uri: redirectUri,
    response_type: "code",
    code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
    code_challenge_method: "S256",
    state: "s",
    scope: "read",
    resource,
    ...more,
  }).toString();
  const exchangeCode = async (callback: URLSearchParams, changes: { verifier?: string; redirectUri?: string } = {}) =>
    await oauth.authorizationCodeGrantRequest(
      server,
      client,
      oauth.None(),
      callback,
      changes.redirectUri ?? redirectUri,
      changes.verifier ?? verifier,
      { additionalParameters: { resource }, ...insecure },
    );
  const refresh = async (token: string, of = client) =>
    await oauth.refreshTokenGrantRequest(server, of, oauth.None(), token, insecure);
  const callback = (location: URL | null) => oauth.validateAuthResponse(server, client, location as URL, "s");
  return { server, client, url, verifier, exchangeCode, refresh, callback };
}

async function getTokens() {
  const prepared = await prepare();
  const callback = prepared.callback((await consent(member, prepared.url)).location);
  const answer = await prepared.exchangeCode(callback);
  const tokens = await oauth.processAuthorizationCodeResponse(prepared.server, prepared.client, answer);
  return { ...prepared, codeCallback: callback, tokens };
}

/** What the audit log has of the agent that was connected last, oldest first. */
async function listNewestAgent() {
  type Recorded = { operation: string; target: Record<string, string>; keyId: string; actor: object; address: string };
  const owner = await signIn(world, "owner");
  const data: Recorded[] = (await owner.call("GET", `/api/organizations/${world.workspaceId}/audit`)).body.data;
  const newest = data.findIndex(({ operation }) => operation === "connectAgent");
  const id = data[newest]?.target.id;
  return data
    .slice(0, newest + 1)
    .filter(({ target }) => target.id === id || target.agentId === id)
    .reverse();
}

const errorOf = async (answer: Response) => [answer.status, ((await answer.json()) as { error: string }).error];

test("a strict client finds both documents, registers, and gets, refreshes and revokes tokens", async () => {
  const metadata = await oauth.processResourceDiscoveryResponse(
    new URL(resource),
    await oauth.resourceDiscoveryRequest(new URL(resource), insecure),
  );
  expect(metadata).toMatchObject({ authorization_servers: [origin], scopes_supported: ["read", "work"] });
  expect((await exchange(world.baseUrl, { path: "/.well-known/oauth-protected-resource" })).status).toBe(200);
  const { server, client, tokens, refresh } = await getTokens();
  expect(server.code_challenge_methods_supported).toEqual(["S256"]);
  expect((await call(tokens.access_token)).status).toBe(200);
  const refreshed = await oauth.processRefreshTokenResponse(server, client, await refresh(tokens.refresh_token ?? ""));
  expect(refreshed.scope).toBe("read");
  expect((await call(tokens.access_token)).status).toBe(401);
  expect((await call(refreshed.access_token)).status).toBe(200);
  for (const token of [refreshed.refresh_token ?? "", refreshed.refresh_token ?? "", "svc_cli_none"])
    await oauth.processRevocationResponse(await oauth.revocationRequest(server, client, oauth.None(), token, insecure));
  expect((await call(refreshed.access_token)).status).toBe(401);
  expect(await errorOf(await refresh(refreshed.refresh_token ?? ""))).toEqual([400, "invalid_grant"]);
});

test("an access token is revoked by itself", async () => {
  const { server, client, tokens } = await getTokens();
  await oauth.revocationRequest(server, client, oauth.None(), tokens.access_token, insecure);
  expect((await call(tokens.access_token)).status).toBe(401);
});

test("a code that is used twice revokes what it became", async () => {
  const { exchangeCode, codeCallback, tokens, refresh } = await getTokens();
  expect((await call(tokens.access_token)).status).toBe(200);
  expect(await errorOf(await exchangeCode(codeCallback))).toEqual([400, "invalid_grant"]);
  expect((await call(tokens.access_token)).status).toBe(401);
  expect(await errorOf(await refresh(tokens.refresh_token ?? ""))).toEqual([400, "invalid_grant"]);
});

test("of two exchanges at the same time none leaves a valid token", async () => {
  const { url, callback, exchangeCode } = await prepare();
  const codeCallback = callback((await consent(member, url)).location);
  const answers = await Promise.all([exchangeCode(codeCallback), exchangeCode(codeCallback)]);
  expect(answers.map(({ status }) => status).sort()).not.toEqual([200, 200]);
  for (const answer of answers.filter(({ status }) => status === 200)) {
    const { access_token: token } = (await answer.json()) as { access_token: string };
    expect((await call(token)).status).toBe(401);
  }
});

test("a refresh token that was replaced revokes the newest tokens", async () => {
  const { server, client, tokens, refresh } = await getTokens();
  const old = tokens.refresh_token ?? "";
  const newest = await oauth.processRefreshTokenResponse(server, client, await refresh(old));
  expect(await errorOf(await refresh(old))).toEqual([400, "invalid_grant"]);
  expect((await call(newest.access_token)).status).toBe(401);
  expect(await errorOf(await refresh(newest.refresh_token ?? ""))).toEqual([400, "invalid_grant"]);
});

test("after a call beyond the scopes, two refreshes are refused, and the tokens stay valid", async () => {
  const { server, client, tokens, refresh } = await getTokens();
  expect(await call(tokens.access_token, "/mcp", "tools/call", { name: "stop_turn" })).toMatchObject({ status: 403 });
  const old = tokens.refresh_token ?? "";
  // Two refreshes at the same time do not revoke the key.
  const answers = await Promise.all([refresh(old), refresh(old)]);
  expect((await Promise.all(answers.map(errorOf))).sort()).toEqual([
    [400, "invalid_grant"],
    [400, "server_error"],
  ]);
  const refreshed = await oauth.processRefreshTokenResponse(server, client, await refresh(old));
  expect((await call(refreshed.access_token)).status).toBe(200);
  expect((await refresh(refreshed.refresh_token ?? "")).status).toBe(200);
});

test("a call beyond the scopes that is a while ago refuses no refresh", async () => {
  const { tokens, refresh } = await getTokens();
  await call(tokens.access_token, "/mcp", "tools/call", { name: "stop_turn" });
  await createInside(world).sql(
    "UPDATE keys SET client = json_set(client, '$.widensUntil', 1) WHERE last_four = ?1",
    tokens.access_token.slice(-4),
  );
  expect((await refresh(tokens.refresh_token ?? "")).status).toBe(200);
});

test.each([
  ["the id of the agent as its token", ({ id }: { id: string; refresh: string }) => `svc_ref_${id}.x`],
  ["half of its token", ({ refresh }: { id: string; refresh: string }) => refresh.split(".")[1] ?? ""],
])("somebody who knows %s revokes nothing", async (_, forge) => {
  const { tokens, refresh } = await getTokens();
  const id = (await member.call("GET", "/api/user/connected-agents")).body.data.at(-1).id;
  expect(await errorOf(await refresh(forge({ id, refresh: tokens.refresh_token ?? "" })))).toEqual([
    400,
    "invalid_grant",
  ]);
  expect((await call(tokens.access_token)).status).toBe(200);
});

test("a code is for its client, its address and its secret only, once", async () => {
  const other = await prepare();
  for (const attempt of [
    (one: typeof other, callback: URLSearchParams) => one.exchangeCode(callback, { verifier: "a".repeat(43) }),
    (one: typeof other, callback: URLSearchParams) =>
      one.exchangeCode(callback, { redirectUri: "http://127.0.0.1:1/callback" }),
    (_: typeof other, callback: URLSearchParams) =>
      other.exchangeCode(oauth.validateAuthResponse(other.server, other.client, callback, "s")),
  ]) {
    const prepared = await prepare();
    const { location } = await consent(member, prepared.url);
    const callback = prepared.callback(location);
    expect(await errorOf(await attempt(prepared, callback))).toEqual([400, "invalid_grant"]);
    expect(await errorOf(await prepared.exchangeCode(callback))).toEqual([400, "invalid_grant"]);
  }
  expect(await errorOf(await (await getTokens()).refresh("svc_ref_x.y"))).toEqual([400, "invalid_grant"]);
});

test("a refresh token of another client revokes the tokens", async () => {
  const [{ tokens }, other] = [await getTokens(), await prepare()];
  expect(await errorOf(await other.refresh(tokens.refresh_token ?? ""))).toEqual([400, "invalid_grant"]);
  expect((await call(tokens.access_token)).status).toBe(401);
});

test("a code expires", async () => {
  const { url, callback, exchangeCode } = await prepare();
  const codeCallback = callback((await consent(member, url)).location);
  await createInside(world).sql("UPDATE oauth_codes SET expires_at = 1 WHERE used_at IS NULL");
  expect(await errorOf(await exchangeCode(codeCallback))).toEqual([400, "invalid_grant"]);
});

test("an access token expires, and its refresh token does not yet", async () => {
  const { tokens, refresh } = await getTokens();
  await createInside(world).sql("UPDATE keys SET expires_at = 1 WHERE last_four = ?1", tokens.access_token.slice(-4));
  expect((await call(tokens.access_token)).status).toBe(401);
  expect((await refresh(tokens.refresh_token ?? "")).status).toBe(200);
});

describe("the page of the consent", () => {
  test("shows who asks, where it leads and for what, and is never framed", async () => {
    const { url } = await prepare({ scope: "read work" });
    const { page } = await consent(member, url, { decision: "" });
    for (const shown of ["Strict", "127.0.0.1:53412", "Start sessions", "Mia Member", "All your workspaces"])
      expect(page.text).toContain(shown);
    expect(page.headers["content-security-policy"]).toContain("frame-ancestors 'none'");
    expect(page.headers["content-security-policy"]).toContain("form-action 'self' http://127.0.0.1:53412;");
    expect(page.headers["x-frame-options"]).toBe("DENY");
    expect(page.headers["cache-control"]).toBe("no-store");
  });

  test("warns where the answer leaves the person's machine", async () => {
    const redirect = "https://client.example/callback";
    const { url } = await prepare({ redirect_uri: redirect }, [redirect]);
    expect((await consent(member, url, { decision: "" })).page.text).toContain("which is not on your machine");
  });

  test("sends a denial back, with the state and the issuer", async () => {
    const { url } = await prepare();
    const { location } = await consent(member, url, { decision: "deny" });
    expect(Object.fromEntries(location?.searchParams ?? [])).toMatchObject({
      error: "access_denied",
      state: "s",
      iss: origin,
    });
  });

  test("leads a visitor without a session to the sign-in, and back", async () => {
    const { url } = await prepare();
    const page = await exchange(world.baseUrl, { path: url.pathname + url.search });
    const [, link = ""] = /href="(\/api\/auth\/github\/connect[^"]*)"/.exec(page.text) ?? [];
    const start = await exchange(world.baseUrl, { path: link.replaceAll("&amp;", "&") });
    expect(start.status).toBe(302);
    expect((start.headers["set-cookie"]?.[0] ?? "").length).toBeLessThan(4_096);
  });

  test("takes its form only from itself, in the browser session that it was shown to, for the request that it showed", async () => {
    const { url } = await prepare();
    const wider = new URL(url);
    wider.searchParams.set("scope", "read work");
    const again = await signIn(world, "member");
    const ofAgain = (await consent(again, url, { decision: "" })).proof;
    const ofWider = (await consent(member, wider, { decision: "" })).proof;
    const { key } = await member.makeKey();
    for (const forged of [
      { headers: { origin: "https://evil.example" } },
      { headers: { origin: "null" } },
      { headers: { cookie: "" } },
      { headers: { cookie: "", authorization: `Bearer ${key}` } },
      { proof: ofAgain },
      { proof: ofWider },
      { proof: "x" },
      { workspace: "ws_other" },
    ])
      expect((await consent(member, url, forged)).location).toBeNull();
    expect((await consent(member, url)).location?.searchParams.get("code")).toMatch(/^svc_cod_/);
  });

  test.each([
    ["another resource", { resource: "https://other.example/mcp" }],
    ["an address that was not registered", { redirect_uri: "https://evil.example/" }],
    ["an unknown client", { client_id: "x.y.z" }],
    ["no challenge of S256", { code_challenge_method: "plain" }],
  ])("sends nobody anywhere for a request with %s", async (_, changes) => {
    const { url } = await prepare(changes);
    const { page, answer, location } = await consent(member, url);
    expect([page.status, answer.status, location]).toEqual([400, 400, null]);
    expect(page.text).toContain("This request cannot be answered");
  });
});

test.each([
  ["no address", {}, "invalid_client_metadata"],
  ["an empty list", { redirect_uris: [] }, "invalid_client_metadata"],
  ["too many addresses", { redirect_uris: Array(11).fill(redirectUri) }, "invalid_client_metadata"],
  ["too long addresses", { redirect_uris: [`https://c.example/${"a".repeat(900)}`] }, "invalid_client_metadata"],
  ["a script as address", { redirect_uris: ["javascript:alert(1)"] }, "invalid_redirect_uri"],
  ["http elsewhere", { redirect_uris: ["http://c.example/"] }, "invalid_redirect_uri"],
])("a client with %s is not registered", async (_, body, error) => {
  const answer = await exchange(world.baseUrl, { method: "POST", path: "/oauth/register", body: JSON.stringify(body) });
  expect([answer.status, JSON.parse(answer.text).error]).toEqual([400, error]);
});

test.each([
  ["of an unknown client", { client_id: "x", grant_type: "refresh_token" }, "invalid_client"],
  ["of no client", { grant_type: "refresh_token" }, "invalid_client"],
])("a request for tokens %s is refused", async (_, fields, error) => {
  const body = new URLSearchParams(fields).toString();
  const answer = await exchange(world.baseUrl, { method: "POST", path: "/oauth/token", body });
  expect([answer.status, JSON.parse(answer.text).error]).toEqual([400, error]);
});

test("a request for tokens of another kind, another audience or a repeated parameter is refused", async () => {
  const { client } = await prepare();
  const ask = async (more: string) => {
    const body = `client_id=${client.client_id}&${more}`;
    return JSON.parse((await exchange(world.baseUrl, { method: "POST", path: "/oauth/token", body })).text).error;
  };
  expect(await ask("grant_type=client_credentials")).toBe("unsupported_grant_type");
  expect(await ask("grant_type=refresh_token&resource=https://other.example/mcp")).toBe("invalid_target");
  expect(await ask("grant_type=refresh_token&grant_type=refresh_token")).toBe("invalid_request");
});

test("the audit log has the connection, and its end by the client", async () => {
  const { server, client, tokens } = await getTokens();
  for (const token of [tokens.access_token, tokens.access_token, "svc_cli_none"])
    await oauth.revocationRequest(server, client, oauth.None(), token, insecure);
  const [connected, ...ends] = await listNewestAgent();
  expect(connected).toMatchObject({
    operation: "connectAgent",
    via: "browser",
    target: { id: expect.any(String), client: "Strict", redirectHost: "127.0.0.1:53412", scopes: "read" },
  });
  const { actor, target } = connected ?? {};
  expect(ends).toMatchObject([{ operation: "disconnectAgent", via: "client", keyId: target?.id, actor }]);
});

test.each<[string, string, (agent: Awaited<ReturnType<typeof getTokens>>) => Promise<Response>]>([
  ["a code", "oauth.reuse-code", ({ exchangeCode, codeCallback }) => exchangeCode(codeCallback)],
  [
    "a refresh token",
    "oauth.reuse-token",
    async ({ refresh, tokens }) => {
      await refresh(tokens.refresh_token ?? "");
      return await refresh(tokens.refresh_token ?? "");
    },
  ],
])("the audit log has once that %s was used again, which ended a connection", async (_, operation, reuse) => {
  const agent = await getTokens();
  expect((await reuse(agent)).status).toBe(400);
  expect((await reuse(agent)).status).toBe(400);
  const [connected, ...ends] = await listNewestAgent();
  const keyId = connected?.target.id;
  expect(ends).toMatchObject([
    {
      ...{ operation, actor: { kind: "service" }, via: "client", keyId, address: connected?.address },
      target: { agentId: keyId, client: "Strict", userId: "usr_member" },
    },
  ]);
});

test("a refresh token that has expired ends its connection, and is no second use", async () => {
  const { tokens, refresh } = await getTokens();
  await createInside(world).sql(
    "UPDATE keys SET client = json_set(client, '$.endsAt', 1) WHERE last_four = ?1",
    tokens.access_token.slice(-4),
  );
  const answer = await refresh(tokens.refresh_token ?? "");
  expect(await answer.json()).toEqual({ error: "invalid_grant", error_description: "The refresh token has expired." });
  expect((await call(tokens.access_token)).status).toBe(401);
  expect(await listNewestAgent()).toHaveLength(1);
});
