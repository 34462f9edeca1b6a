// Keys: what a user and a workspace create, list and revoke, and that an ended key grants nothing.
import { describe, expect, test } from "vitest";
import { keysMax } from "../../src/rules/limits.ts";
import { apiWorld } from "../support/api-world.ts";
import { signIn } from "../support/browser.ts";
import { clientWith, createClient } from "../support/client.ts";
import { exchange } from "../support/http-exchange.ts";
import { until } from "../support/until.ts";
import { createInside } from "../support/world-inside.ts";

const world = apiWorld();
const apiKeys = "/api/user/api-keys";
const relayKeys = `/api/organizations/${world.workspaceId}/relay-keys`;
const unauthorized = { status: 401, code: "UNAUTHORIZED" };

async function ask(authorization: string, path = "/api/models") {
  const { status, text } = await exchange(world.baseUrl, { path, headers: { authorization } });
  return { status, code: JSON.parse(text).code };
}

describe("an API key", () => {
  test("is returned once, and is not in lists", async () => {
    const member = await signIn(world, "member");
    const expiresAt = new Date(Date.now() + 3_600_000).toISOString();
    const made = await member.call("POST", apiKeys, { name: "laptop", expiresAt });
    expect(made.status).toBe(201);
    const { key, ...row } = made.body.data;
    expect(key).toMatch(/^svc_key_[A-Za-z0-9_-]{43}$/);
    expect(row).toEqual({
      id: expect.any(String),
      name: "laptop",
      lastFour: key.slice(-4),
      createdAt: expect.any(String),
      lastUsedAt: null,
      expiresAt,
    });
    const listed = await member.call("GET", apiKeys);
    expect(listed.body.data).toContainEqual(row);
    expect(JSON.stringify(listed.body)).not.toContain(key);
  });

  test("has its user's permissions until it is revoked", async () => {
    const member = await signIn(world, "member");
    const { id, key } = await member.makeKey();
    expect(await ask(`Bearer ${key}`)).toMatchObject({ status: 200 });
    expect(await member.call("DELETE", `${apiKeys}/${id}`)).toMatchObject({ status: 204 });
    expect(await ask(`Bearer ${key}`)).toEqual(unauthorized);
    expect(await member.call("DELETE", `${apiKeys}/${id}`)).toMatchObject({ status: 404 });
  });

  test("can be listed and revoked only by its user", async () => {
    const { id } = await (await signIn(world, "member")).makeKey();
    const owner = await signIn(world, "owner");
    const listed: { id: string }[] = (await owner.call("GET", apiKeys)).body.data;
    expect(listed.map((key) => key.id)).not.toContain(id);
    expect(await owner.call("DELETE", `${apiKeys}/${id}`)).toMatchObject({ status: 404 });
  });

  test("can revoke itself and no other key", async () => {
    const member = await signIn(world, "member");
    const [first, second] = [await member.makeKey(), await member.makeKey()];
    const headers = { authorization: `Bearer ${first.key}` };
    const revoked = await exchange(world.baseUrl, { method: "DELETE", path: `${apiKeys}/current`, headers });
    expect(revoked.status).toBe(204);
    expect(await ask(`Bearer ${first.key}`)).toEqual(unauthorized);
    expect(await ask(`Bearer ${second.key}`)).toMatchObject({ status: 200 });
  });

  test("records its last use", async () => {
    const member = await signIn(world, "member");
    const { id, key } = await member.makeKey();
    const lastUsedAt = async () => {
      const listed: { id: string; lastUsedAt: string | null }[] = (await member.call("GET", apiKeys)).body.data;
      return listed.find((row) => row.id === id)?.lastUsedAt ?? null;
    };
    expect(await lastUsedAt()).toBeNull();
    await ask(`Bearer ${key}`);
    await until("the use to be kept", async () => (await lastUsedAt()) !== null);
  });

  test.each([
    ["without a name", {}],
    ["with an empty name", { name: "  " }],
    ["with a name of 101 characters", { name: "n".repeat(101) }],
    ["with a time that is none", { name: "n", expiresAt: "tomorrow" }],
    ["with a time that has passed", { name: "n", expiresAt: "2001-01-01T00:00:00.000Z" }],
  ])("%s is not created", async (_, body) => {
    const refused = await (await signIn(world, "member")).call("POST", apiKeys, body);
    expect(refused).toMatchObject({ status: 400, body: { code: "VALIDATION_ERROR" } });
  });

  test("accepts any case of the scheme", async () => {
    const { apiKey } = world.users.owner;
    for (const scheme of ["Bearer", "bearer", "BEARER"])
      expect(await ask(`${scheme} ${apiKey}`)).toMatchObject({ status: 200 });
  });

  test("is not accepted in any other form", async () => {
    const { apiKey } = world.users.owner;
    const forms = [
      apiKey,
      `Token ${apiKey}`,
      `Bearer${apiKey}`,
      `Bearer ${apiKey}x`,
      `Bearer ${apiKey} x`,
      "Bearer ",
      "Bearer",
    ];
    for (const form of [...forms, `Bearer ${apiKey.toLowerCase()}`, `Bearer svc_key_${"A".repeat(43)}`])
      expect(await ask(form), form).toEqual(unauthorized);
  });
});

describe("a relay key", () => {
  test("is returned once to an admin, and is not in lists", async () => {
    const admin = createClient(world, "admin");
    const made = await admin.post(relayKeys, { name: "chat" });
    expect(made.status).toBe(201);
    const { key, ...row } = made.body.data;
    expect(key).toMatch(/^svc_rly_[A-Za-z0-9_-]{43}$/);
    expect(row).toEqual({
      id: expect.any(String),
      name: "chat",
      lastFour: key.slice(-4),
      createdAt: expect.any(String),
    });
    const listed = await createClient(world).get(relayKeys);
    expect(listed.body.data).toContainEqual(row);
    expect(JSON.stringify(listed.body)).not.toContain(key);
  });

  test("creates sessions with the relay as author, and reads them", async () => {
    const relay = clientWith(world, (await createClient(world).post(relayKeys, { name: "chat" })).body.data.key);
    const session = await relay.createSession({ title: "From a chat" });
    const read = await relay.get(session.path);
    expect(read.body.data.session).toMatchObject({ title: "From a chat", filedBy: { kind: "relay" }, createdBy: null });
  });

  test("sends messages with the relay as author", async () => {
    const relay = clientWith(world, (await createClient(world).post(relayKeys, { name: "chat" })).body.data.key);
    const session = await relay.createSession({ title: "From a chat" });
    expect(await relay.run(session.path, { say: "Done." })).toMatchObject({ status: "completed" });
    const [message] = await relay.messages(session.path);
    expect(message).toMatchObject({ role: "user", author: { kind: "relay" } });
  });

  test("has access only to its own workspace, and cannot find out what others contain", async () => {
    const { key } = (await createClient(world).post(relayKeys, { name: "chat" })).body.data;
    for (const path of [world.outsideProjectId, `${world.outsideProjectId}/chat-sessions/${crypto.randomUUID()}`])
      expect(await ask(`Bearer ${key}`, `/api/projects/${path}`)).toEqual({ status: 403, code: "FORBIDDEN" });
  });

  test("is refused from the next request on after it is revoked", async () => {
    const owner = createClient(world);
    const { id, key } = (await owner.post(relayKeys, { name: "chat" })).body.data;
    const { path } = await owner.createSession({ title: "Read by a relay" });
    expect(await ask(`Bearer ${key}`, path)).toMatchObject({ status: 200 });
    expect(await owner.delete(`${relayKeys}/${id}`)).toMatchObject({ status: 204 });
    expect(await ask(`Bearer ${key}`, path)).toEqual(unauthorized);
    expect(await owner.delete(`${relayKeys}/${id}`)).toMatchObject({ status: 404 });
  });

  test("can be revoked only in its own workspace, and only by its own route", async () => {
    const { id } = (await createClient(world).post(relayKeys, { name: "chat" })).body.data;
    const outsider = createClient(world, "outsider");
    const [{ id: elsewhere }] = (await outsider.get("/api/organizations")).body.data;
    expect(await outsider.delete(`/api/organizations/${elsewhere}/relay-keys/${id}`)).toMatchObject({ status: 404 });
    expect(await (await signIn(world, "owner")).call("DELETE", `${apiKeys}/${id}`)).toMatchObject({ status: 404 });
  });

  test("needs a name", async () => {
    for (const body of [{}, { name: "" }, { name: "n".repeat(101) }])
      expect(await createClient(world).post(relayKeys, body)).toMatchObject({
        status: 400,
        body: { code: "VALIDATION_ERROR" },
      });
  });
});

describe("an agent token", () => {
  test.each(["ofOwner", "ofNobody"] as const)(
    "%s writes as its session, also when it acts for a member",
    async (whose) => {
      const agent = clientWith(world, world.agentTokens[whose]);
      const session = await agent.createSession({ title: "From an agent" });
      expect((await agent.get(session.path)).body.data.session).toMatchObject({
        filedBy: { kind: "session", sessionId: expect.any(String) },
      });
      await agent.run(session.path, { say: "Done." });
      const [message] = await agent.messages(session.path);
      expect(message).toMatchObject({ role: "user", author: { kind: "session", sessionId: expect.any(String) } });
    },
  );

  test("has no access to another workspace", async () => {
    for (const token of Object.values(world.agentTokens))
      expect(await ask(`Bearer ${token}`, `/api/projects/${world.outsideProjectId}`)).toEqual({
        status: 403,
        code: "FORBIDDEN",
      });
  });
});

test.each([
  ["a user", "api-key", "user_id", async () => (await signIn(world, "member")).call("POST", apiKeys, { name: "more" })],
  ["a workspace", "relay", "workspace_id", () => createClient(world).post(relayKeys, { name: "more" })],
])("%s that has very many keys creates no more until one is revoked", async (_, kind, column, make) => {
  const { sql } = createInside(world);
  const holder = kind === "relay" ? world.workspaceId : world.users.member.id;
  await sql(
    `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?3)
     INSERT INTO keys (hash, id, kind, ${column}, name, last_four, created_at)
     SELECT 'many-' || ?1 || i, 'many-' || i, ?1, ?2, 'many', '0000', 0 FROM n`,
    ...[kind, holder, keysMax],
  );
  try {
    const refused = { status: 400, body: { code: "BAD_REQUEST", error: expect.stringContaining("500") } };
    expect(await make()).toMatchObject(refused);
  } finally {
    await sql("DELETE FROM keys WHERE name = 'many'");
  }
  expect(await make()).toMatchObject({ status: 201 });
});

test("that acts for no member cannot assign a session", async () => {
  const { key } = (await createClient(world).post(relayKeys, { name: "chat" })).body.data;
  const body = { title: "Booked", status: "backlog" };
  for (const token of [key, world.agentTokens.ofNobody]) {
    const caller = clientWith(world, token);
    const path = `/api/projects/${world.projectId}/chat-sessions`;
    const assigned = await caller.post(path, { ...body, assigneeId: world.users.member.id });
    expect(assigned).toMatchObject({ status: 403, body: { code: "FORBIDDEN" } });
    const filed = await caller.post(path, body);
    expect(filed).toMatchObject({ status: 201, body: { data: { session: { assignee: null } } } });
    const session = `${path}/${filed.body.data.session.id}`;
    const changed = await caller.put(session, { assigneeId: world.users.member.id });
    expect(changed).toMatchObject({ status: 403, body: { code: "FORBIDDEN" } });
  }
});
