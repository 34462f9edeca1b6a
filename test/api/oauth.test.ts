// OAuth for /mcp, with the official client: it connects without a key, from 401 to a call, steps up
// to work, and ends when its person says so or leaves.
import {
  auth,
  Client,
  type OAuthClientInformationMixed,
  type OAuthClientProvider,
  type OAuthDiscoveryState,
  type OAuthTokens,
  StreamableHTTPClientTransport,
  UnauthorizedError,
} from "@modelcontextprotocol/client";
import { beforeAll, describe, expect, test } from "vitest";
import { connectedAgentsMax } from "../../src/rules/limits.ts";
import { apiWorld } from "../support/api-world.ts";
import { type Browser, signIn } from "../support/browser.ts";
import { exchange } from "../support/http-exchange.ts";
import { createConsent, redirectUri } from "../support/oauth-consent.ts";
import { createInside } from "../support/world-inside.ts";

const world = apiWorld();
const origin = new URL(world.baseUrl).origin;
const resource = `${origin}/mcp`;
const { consent, call } = createConsent(world);
let member: Browser;
beforeAll(async () => {
  member = await signIn(world, "member");
});
/** The state that the official client keeps. */
class Provider implements OAuthClientProvider {
  info: OAuthClientInformationMixed | undefined;
  saved: OAuthTokens | undefined;
  verifier = "";
  asked: URL | null = null;
  readonly redirectUrl = redirectUri;
  readonly clientMetadata = { client_name: "Test editor", redirect_uris: [redirectUri] };
  state = () => "a state";
  clientInformation = () => this.info;
  saveClientInformation = (info: OAuthClientInformationMixed) => {
    this.info = info;
  };
  tokens = () => this.saved;
  saveTokens = (tokens: OAuthTokens) => {
    this.saved = tokens;
  };
  redirectToAuthorization = (url: URL) => {
    this.asked = url;
  };
  saveCodeVerifier = (verifier: string) => {
    this.verifier = verifier;
  };
  codeVerifier = () => this.verifier;
  invalidateCredentials = () => {
    this.saved = undefined;
  };
  discovered: OAuthDiscoveryState | undefined;
  saveDiscoveryState = (state: OAuthDiscoveryState) => {
    this.discovered = state;
  };
  discoveryState = () => this.discovered;
}

const openClient = () => new Client({ name: "test", version: "1" }, { versionNegotiation: { mode: "auto" } });

/** Connects as the official client does: refused, sent to the page, back with a code, connected. */
async function connect(browser = member, workspace = world.workspaceId) {
  const provider = new Provider();
  const authorize = async () => {
    if (!provider.asked) throw new Error("The client asked for nothing.");
    const { location } = await consent(browser, provider.asked, { workspace });
    if (!location) throw new Error("The browser was not sent back.");
    await new StreamableHTTPClientTransport(new URL(resource), { authProvider: provider }).finishAuth(
      location.searchParams,
    );
  };
  const open = async () => {
    const client = openClient();
    await client.connect(new StreamableHTTPClientTransport(new URL(resource), { authProvider: provider }));
    return client;
  };
  await expect(open()).rejects.toThrow(UnauthorizedError);
  await authorize();
  return { provider, authorize, client: await open(), open };
}

const textOf = ({ content }: { content: unknown }) => (content as { text: string }[])[0]?.text ?? "";
const listProjects = async (client: Client) => textOf(await client.callTool({ name: "list_projects", arguments: {} }));
const start = {
  name: "start_session",
  arguments: { project: world.projectId, prompt: "/svc:ship", title: "By OAuth" },
};

test("a client without a key connects, reads, steps up to work, and cannot ship", async () => {
  const { provider, authorize, client, open } = await connect();
  expect(provider.asked?.searchParams.get("scope")).toBe("read");
  expect(provider.asked?.searchParams.get("resource")).toBe(resource);
  expect(provider.saved).toMatchObject({ scope: "read", token_type: "Bearer", expires_in: 3_600 });
  expect(await listProjects(client)).toContain(world.projectId);
  await expect(client.callTool(start)).rejects.toThrow(UnauthorizedError);
  expect(provider.asked?.searchParams.get("scope")).toBe("read work");
  const before = provider.saved?.access_token ?? "";
  await authorize();
  expect(provider.saved).toMatchObject({ scope: "read work" });
  expect((await call(before)).status).toBe(401);
  const working = await open();
  const started = await working.callTool(start);
  const { id } = (started.structuredContent as { session: { id: string } }).session;
  const messages = `/api/projects/${world.projectId}/chat-sessions/${id}/messages`;
  const [first] = (await member.call("GET", messages)).body.data.messages;
  expect(first).toMatchObject({ content: "/svc:ship", author: { userId: world.users.member.id } });
  const feed = (await member.call("GET", `/api/activity?workspace=${world.workspaceId}`)).body.data;
  expect(feed).toContainEqual(
    expect.objectContaining({ chatSessionId: id, source: { kind: "mcp", client: "Test editor" } }),
  );
  await client.close();
  await working.close();
});

test.each(["forgets them", "keeps them"])(
  "a client that refreshes its tokens for a wider scope, and %s if that is refused, asks the person",
  async (when) => {
    const { provider, client } = await connect();
    if (when === "keeps them") Object.assign(provider, { invalidateCredentials: undefined });
    await expect(client.callTool(start)).rejects.toThrow(UnauthorizedError);
    expect(await auth(provider, { serverUrl: resource, scope: "read work" })).toBe("REDIRECT");
    expect(provider.asked?.searchParams.get("scope")).toBe("read work");
    await client.close();
  },
);

test("a refused request names where the metadata is, and the scope", async () => {
  for (const headers of [{}, { authorization: `Bearer svc_cli_${"A".repeat(43)}` }] as Record<string, string>[]) {
    const { status, headers: answered } = await exchange(world.baseUrl, { method: "POST", path: "/mcp", headers });
    expect(status).toBe(401);
    expect(answered["www-authenticate"]).toContain('scope="read"');
    expect(answered["www-authenticate"]).toContain(
      `resource_metadata="${origin}/.well-known/oauth-protected-resource/mcp"`,
    );
  }
  const { provider } = await connect();
  const work = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "stop_turn", arguments: {} } };
  for (const body of [work, [work]]) {
    const refused = await exchange(world.baseUrl, {
      method: "POST",
      path: "/mcp",
      headers: { authorization: `Bearer ${provider.saved?.access_token}`, "content-type": "application/json" },
      body: JSON.stringify(body),
    });
    expect(refused.status).toBe(403);
    expect(refused.headers["www-authenticate"]).toMatch(/error="insufficient_scope", scope="read work"/);
  }
});

test("a token is for /mcp only, and for the workspace that the person chose", async () => {
  const { provider } = await connect(await signIn(world, "owner"));
  const token = provider.saved?.access_token ?? "";
  expect((await call(token)).status).toBe(200);
  for (const path of ["/api/models", "/api/projects", "/api/user/profile", "/api/user/api-keys"])
    expect((await call(token, path)).status).toBe(403);
  const [key] = await createInside(world).sql(
    "SELECT * FROM keys WHERE kind = 'client' AND last_four = ?1",
    token.slice(-4),
  );
  expect(key).toMatchObject({ workspace_id: world.workspaceId, user_id: world.users.owner.id });
  expect(JSON.stringify(key)).not.toContain(token);
  expect(JSON.stringify(key)).not.toContain(provider.saved?.refresh_token);
});

describe("a connected agent", () => {
  const agents = "/api/user/connected-agents";

  test("is listed to its person, who disconnects it", async () => {
    const { client, provider } = await connect();
    const listed = (await member.call("GET", agents)).body.data;
    const own = listed.at(-1);
    expect(own).toEqual({
      id: expect.any(String),
      name: "Test editor",
      redirectHost: "127.0.0.1:53412",
      scopes: ["read"],
      workspaceId: world.workspaceId,
      createdAt: expect.any(String),
      lastUsedAt: expect.any(String),
      expiresAt: expect.any(String),
    });
    const other = await signIn(world, "admin");
    expect((await other.call("DELETE", `${agents}/${own.id}`)).status).toBe(404);
    expect((await member.call("DELETE", `/api/user/api-keys/${own.id}`)).status).toBe(404);
    expect((await member.call("DELETE", `${agents}/${own.id}`)).status).toBe(204);
    expect((await call(provider.saved?.access_token ?? "")).status).toBe(401);
    // The client tries its refresh token, which is gone, too, and asks the person again.
    provider.asked = null;
    await expect(listProjects(client)).rejects.toThrow(UnauthorizedError);
    expect(provider.asked).not.toBeNull();
  });

  test("ends when its person leaves the workspace", async () => {
    const { sql } = createInside(world);
    const outsider = await signIn(world, "outsider");
    const invited = await (await signIn(world, "owner")).call(
      "POST",
      `/api/organizations/${world.workspaceId}/invitations`,
      { email: "outsider@example.com", role: "member" },
    );
    const token = invited.body.data.url.split("/").at(-1);
    expect((await outsider.call("POST", `/api/invitations/${token}/accept`)).status).toBe(200);
    const [bound, everywhere] = [await connect(outsider), await connect(outsider, "all")];
    expect(await listProjects(everywhere.client)).toContain(world.projectId);
    expect(await listProjects(everywhere.client)).toContain(world.outsideProjectId);
    expect(await listProjects(bound.client)).not.toContain(world.outsideProjectId);
    const elsewhere = { name: "list_sessions", arguments: { project: world.outsideProjectId } };
    expect((await bound.client.callTool(elsewhere)).isError).toBe(true);
    expect((await outsider.call("POST", `/api/organizations/${world.workspaceId}/leave`)).status).toBe(204);
    expect((await call(bound.provider.saved?.access_token ?? "")).status).toBe(401);
    expect(
      await sql("SELECT id FROM keys WHERE kind = 'client' AND user_id = ?1", world.users.outsider.id),
    ).toHaveLength(1);
    expect(await listProjects(everywhere.client)).not.toContain(world.projectId);
    const refused = await everywhere.client.callTool({
      name: "list_sessions",
      arguments: { project: world.projectId },
    });
    expect(refused.isError).toBe(true);
  });
});

test("a person has a limited number of connected agents, and a new one ends the oldest", async () => {
  const { sql } = createInside(world);
  const admin = world.users.admin.id;
  const endsAt = Date.now() + 3_600_000;
  await sql(
    `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${connectedAgentsMax})
     INSERT INTO keys (hash, id, kind, user_id, name, last_four, created_at, scopes, client)
     SELECT 'planted ' || i, 'planted ' || i, 'client', ?1, 'planted', '', i, '[]', json_object('clientHash', '', 'endsAt', ?2) FROM n`,
    admin,
    endsAt,
  );
  await connect(await signIn(world, "admin"));
  const left = await sql(
    "SELECT name, created_at FROM keys WHERE kind = 'client' AND user_id = ?1 ORDER BY created_at",
    admin,
  );
  expect(left).toHaveLength(connectedAgentsMax);
  expect([left[0]?.created_at, left.at(-1)?.name]).toEqual([2, "Test editor"]);
});
