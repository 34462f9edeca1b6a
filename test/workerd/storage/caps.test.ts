// The limits of one person and of one workspace: each is checked in the write, so no burst exceeds
// it.
import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, test } from "vitest";
import type { Actor } from "../../../src/access/rules/actor.ts";
import type { Env } from "../../../src/env.ts";
import { createApiKey } from "../../../src/key/create-and-revoke.ts";
import { issueBrowserSession } from "../../../src/key/queries/browser-sessions.ts";
import { startDeviceSignIn, updateDeviceOutcome } from "../../../src/key/queries/device-sign-ins.ts";
import { issueAgentToken, issueRelayKey, listApiKeys, listRelayKeys } from "../../../src/key/queries/keys.ts";
import { deviceSignInRoutes } from "../../../src/key/routes/device-sign-in.ts";
import { getKeyHash } from "../../../src/lib/base64url.ts";
import { addProject, findProject, type Project } from "../../../src/project/queries.ts";
import {
  backlogPerWorkspace,
  browserSessionsMax,
  keysMax,
  ownedWorkspacesMax,
  projectsPerWorkspace,
} from "../../../src/rules/limits.ts";
import { isRefusal } from "../../../src/rules/refusal.ts";
import { createWorkspace } from "../../../src/workspace/create.ts";
import { transferWorkspace } from "../../../src/workspace/members.ts";
import { countOwned } from "../../../src/workspace/queries/workspaces.ts";
import { workspaceRoutes } from "../../../src/workspace/routes/workspaces.ts";
import { issueApiKey } from "../support/issued-keys.ts";
import { addUser, addWorkspaceWith } from "../support/people.ts";
import { beginSession } from "../support/session-driver.ts";
import { unlimitedEnv } from "../support/unlimited-env.ts";

let workspaceId: string;
let users: Record<"owner" | "member", string>;
beforeEach(async () => {
  ({ workspaceId, users } = await addWorkspaceWith({ owner: "owner", member: "member" }));
});

const ownerActor = (id: string): Actor => ({
  type: "member",
  user: { id, name: "Olive", email: "olive@example.com", imageUrl: null },
  role: "owner",
});
const numbers = (count: number) => JSON.stringify(Array.from({ length: count }, (_, at) => at));

async function ownWorkspaces(userId: string, count: number): Promise<void> {
  const prefix = crypto.randomUUID();
  await env.DB.batch([
    env.DB.prepare(
      "INSERT INTO workspaces (id, name, slug, timezone, plan, created_at) SELECT ?1 || value, 'A', ?1 || value, 'UTC', 'free', 0 FROM json_each(?2)",
    ).bind(prefix, numbers(count)),
    env.DB.prepare(
      "INSERT INTO members (workspace_id, user_id, role, joined_at) SELECT ?1 || value, ?3, 'owner', 0 FROM json_each(?2)",
    ).bind(prefix, numbers(count), userId),
  ]);
}

async function addKeys(kind: "api-key" | "relay", holder: string, count: number): Promise<void> {
  await env.DB.prepare(
    `INSERT INTO keys (hash, id, kind, user_id, workspace_id, name, last_four, created_at)
     SELECT ?2 || value, ?2 || value, ?1, iif(?1 = 'relay', NULL, ?2), iif(?1 = 'relay', ?2, NULL), 'k', '0000', 0 FROM json_each(?3)`,
  )
    .bind(kind, holder, numbers(count))
    .run();
}

test("a person and a workspace have 500 keys, also if the last ones are created concurrently", async () => {
  await addKeys("api-key", users.owner, keysMax - 2);
  await addKeys("relay", workspaceId, keysMax - 2);
  await addKeys("api-key", users.member, keysMax + 2);
  const key = { userId: users.owner, name: "more", expiresAt: null };
  const made = await Promise.all([1, 2, 3, 4].map(() => createApiKey(env, key, 0)));
  const ofRelays = await Promise.all([1, 2, 3, 4].map(() => issueRelayKey(env.DB, { workspaceId, name: "more" }, 0)));
  expect(made.filter(isRefusal)).toHaveLength(2);
  expect(ofRelays.filter((issued) => issued === null)).toHaveLength(2);
  expect(await createApiKey(env, { ...key, userId: users.member }, 0)).toMatchObject({ code: "BAD_REQUEST" });
  expect(await listApiKeys(env.DB, users.owner)).toHaveLength(keysMax);
  expect(await listRelayKeys(env.DB, workspaceId)).toHaveLength(keysMax);
});

test("of two approved terminals, the one for which there is no room has to sign in again", async () => {
  await addKeys("api-key", users.owner, keysMax - 1);
  const approve = async () => {
    const now = Date.now();
    const started = await startDeviceSignIn(env.DB, { client: "sy", name: "sy", address: null }, now);
    const decision = { outcome: "approved", userId: users.owner, keyLifetimeMs: null } as const;
    await updateDeviceOutcome(env.DB, started.userCode, decision, now);
    return started.token;
  };
  const complete = async (loginToken: string) => {
    const body = JSON.stringify({ loginToken });
    const request = new Request("http://service.test/", { method: "POST", body });
    return await deviceSignInRoutes[1]?.serve(request, unlimitedEnv, {});
  };
  const tokens = [await approve(), await approve()];
  const answers = await Promise.all(tokens.map(complete));
  const toData = (data: object) => expect.objectContaining({ data });
  expect(answers).toContainEqual(toData({ authenticated: true, key: expect.any(String) }));
  expect(answers).toContainEqual(toData({ authenticated: false, restart: true }));
  expect(await listApiKeys(env.DB, users.owner)).toHaveLength(keysMax);
});

describe("a person", () => {
  test("creates no more than 50 workspaces, also concurrently", async () => {
    const ownerId = await addUser("busy");
    await ownWorkspaces(ownerId, ownedWorkspacesMax - 2);
    const made = await Promise.all(
      Array.from({ length: 6 }, () =>
        createWorkspace(env, { name: "Acme", slug: `s${crypto.randomUUID().slice(0, 8)}`, ownerId }, 0),
      ),
    );
    expect(made.filter((one) => !isRefusal(one))).toHaveLength(2);
    for (const one of made.filter(isRefusal))
      expect(one).toMatchObject({
        code: "BAD_REQUEST",
        message: expect.stringMatching(/50 workspaces at most. Delete/),
      });
    expect(await countOwned(env.DB, ownerId)).toBe(ownedWorkspacesMax);
  });

  test("who owns 50 gets none by a transfer, and one who owns fewer does", async () => {
    await ownWorkspaces(users.member, ownedWorkspacesMax);
    const transfer = { workspaceId, userId: users.member, by: ownerActor(users.owner) };
    expect(await transferWorkspace(env, transfer, 0)).toMatchObject({ code: "BAD_REQUEST" });
    await env.DB.prepare(
      "DELETE FROM members WHERE rowid = (SELECT min(rowid) FROM members WHERE user_id = ?1 AND workspace_id <> ?2)",
    )
      .bind(users.member, workspaceId)
      .run();
    expect(await transferWorkspace(env, transfer, 0)).toBe(null);
  });

  test("has 100 browser sessions: the oldest ends when another is made", async () => {
    const tokens: string[] = [];
    for (let at = 0; at < browserSessionsMax + 2; at++)
      tokens.push((await issueBrowserSession(env.DB, users.owner, 1_000 + at)) ?? "");
    const { token: key } = await issueApiKey(env.DB, { userId: users.owner, name: "stays", expiresAt: null }, 0);
    await issueBrowserSession(env.DB, users.member, 1);
    const isThere = async (token: string | undefined) =>
      (await env.DB.prepare("SELECT 1 AS found FROM keys WHERE hash = ?1")
        .bind(await getKeyHash(token ?? ""))
        .first("found")) === 1;
    expect(await Promise.all([tokens[0], tokens[1], tokens[2], tokens.at(-1), key].map(isThere))).toEqual([
      false,
      false,
      true,
      true,
      true,
    ]);
  });

  test("has all keys and browsers counted together; the token of an agent is not among them", async () => {
    const counted: string[] = [];
    const free = { limit: async () => ({ success: true }) };
    const settings = {
      ...env,
      KEY_REQUESTS: free,
      FAILED_CREDENTIALS: free,
      USER_REQUESTS: {
        async limit({ key }: { key: string }) {
          counted.push(key);
          return { success: counted.length <= 2 };
        },
      },
      PUBLIC_URL: "http://service.test",
    } as unknown as Env;
    const codeFor = async (token: string) => {
      const headers = { authorization: `Bearer ${token}` };
      const answer = await workspaceRoutes[0]?.serve(new Request("http://service.test/", { headers }), settings, {});
      return isRefusal(answer) ? answer.code : "ok";
    };
    const issue = async (name: string) =>
      (await issueApiKey(env.DB, { userId: users.owner, name, expiresAt: null }, 0)).token;
    const [one, other] = [await issue("one"), await issue("other")];
    const grant = { workspaceId, sessionId: "s", turnId: crypto.randomUUID(), userId: users.owner };
    const agent = await issueAgentToken(env.DB, { ...grant, expiresAt: Date.now() + 60_000 }, 0);
    expect([await codeFor(one), await codeFor(other), await codeFor(one), await codeFor(agent)]).toEqual([
      "ok",
      "ok",
      "TOO_MANY_REQUESTS",
      "ok",
    ]);
    expect(counted).toEqual([users.owner, users.owner, users.owner]);
  });
});

test("a workspace has no more than 200 projects, also after concurrent creates", async () => {
  const project = (id: string): Project => ({
    id,
    workspaceId,
    name: "P",
    repository: "acme/p",
    installationId: null,
    repositoryId: null,
    targetBranch: "main",
    deployStatus: "idle",
    isLive: false,
    holdsSessionsUp: false,
    settings: { setup: [], services: [], env: {} },
    settingsKey: null,
    network: null,
    networkProposal: null,
    mainSandboxKey: `m${id}`,
    mainSleptAt: 0,
    isMainReclaimed: false,
    createdAt: 0,
    updatedAt: 0,
  });
  const first = crypto.randomUUID();
  expect(await addProject(env.DB, project(first), users.owner)).toBe(true);
  const columns =
    "workspace_id, name, repository, target_branch, deploy_status, settings, main_sandbox_key, created_at, updated_at";
  await env.DB.prepare(
    `INSERT INTO projects (id, ${columns}) SELECT ?1 || value, ${columns} FROM projects, json_each(?2) WHERE projects.id = ?1`,
  )
    .bind(first, numbers(projectsPerWorkspace - 3))
    .run();
  const ids = Array.from({ length: 5 }, () => crypto.randomUUID());
  const added = await Promise.all(ids.map((id) => addProject(env.DB, project(id), users.owner)));
  expect(added.filter(Boolean)).toHaveLength(2);
  expect((await Promise.all(ids.map((id) => findProject(env.DB, id)))).filter(Boolean)).toHaveLength(2);
});

test("a workspace has no more than 5,000 sessions in its Backlog; started ones are not counted", async () => {
  const changes = { workspaceId, status: "backlog", prompt: "Later." } as const;
  const { id } = await beginSession(null, changes);
  const { results } = await env.DB.prepare("SELECT name FROM pragma_table_info('sessions') WHERE name <> 'id'").all<{
    name: string;
  }>();
  const columns = results.map(({ name }) => `"${name}"`).join(", ");
  await env.DB.prepare(
    `INSERT INTO sessions (id, ${columns}) SELECT ?1 || value, ${columns} FROM sessions, json_each(?2) WHERE sessions.id = ?1`,
  )
    .bind(id, numbers(backlogPerWorkspace - 3))
    .run();
  const started = await Promise.allSettled(Array.from({ length: 5 }, () => beginSession(null, changes)));
  expect(started.filter(({ status }) => status === "fulfilled")).toHaveLength(2);
  for (const one of started)
    if (one.status === "rejected")
      expect(String(one.reason)).toMatch(/5,000 sessions in its Backlog at most. Start or archive/);
  const counted = "SELECT count(*) AS held FROM sessions WHERE workspace_id = ?1 AND status = 'backlog'";
  expect(await env.DB.prepare(counted).bind(workspaceId).first("held")).toBe(backlogPerWorkspace);
  expect((await beginSession(null, { workspaceId, status: "active" })).opened).toBeTruthy();
});
