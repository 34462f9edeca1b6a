// Suspended workspaces and people: every door is closed, and everything is there again afterwards.
import { evictDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, test, vi } from "vitest";
import { readFeed } from "../../../src/activity/queries.ts";
import { readFireFacts } from "../../../src/cron/queries/crons.ts";
import { listUnusedMains } from "../../../src/deploy/queries.ts";
import { endpoints } from "../../../src/endpoints.ts";
import { issueAgentToken } from "../../../src/key/queries/keys.ts";
import { listWorkOfPerson, saveSuspension } from "../../../src/operator/queries.ts";
import { endSuspension, startSuspension } from "../../../src/operator/suspend.ts";
import { findSharedTarget } from "../../../src/preview/queries/targets.ts";
import { claimSlot } from "../../../src/sandbox/queries/slots.ts";
import { issueApiKey, issueRelayKey } from "../support/issued-keys.ts";
import { addMember, addUser, addWorkspaceWith } from "../support/people.ts";
import {
  beginSession,
  completed,
  type SessionDriver,
  sessionWithPullRequest,
  started,
} from "../support/session-driver.ts";
import { unlimitedEnv } from "../support/unlimited-env.ts";

let workspaceId: string;
let users: Record<"owner" | "member", string>;
let session: SessionDriver;
let projectId: string;
beforeEach(async () => {
  ({ workspaceId, users } = await addWorkspaceWith({ owner: "owner", member: "member" }));
  session = await beginSession(null, { workspaceId });
  await session.settled();
  ({ projectId } = session.record);
  await env.DB.prepare(
    `INSERT INTO projects (id, workspace_id, name, repository, target_branch, deploy_status, is_live, settings, main_sandbox_key, created_at, updated_at)
     VALUES (?1, ?2, 'P', 'acme/app', 'main', 'deployed', 1, '{}', ?1, 0, 0)`,
  )
    .bind(projectId, workspaceId)
    .run();
});

const issueKey = async (userId: string) =>
  (await issueApiKey(env.DB, { userId, name: "k", expiresAt: null }, Date.now())).token;

type Endpoint = (typeof endpoints)[number];

function find(operation: string): Endpoint {
  const found = endpoints.find((one) => one.operation === operation);
  if (!found) throw new Error(`There is no operation ${operation}.`);
  return found;
}

/** Calls an endpoint on the workspace, its project and its session. */
async function serve({ method, path, serve: answer }: Endpoint, token: string) {
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => name);
  const known: Record<string, string> = { workspaceId, projectId, sessionId: session.id };
  const params = Object.fromEntries(names.map((name) => [name, known[name] ?? crypto.randomUUID()]));
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  const body = method === "GET" || method === "DELETE" ? null : "{}";
  return await answer(new Request(`http://service.test${path}`, { method, headers, body }), unlimitedEnv, params);
}

/** The code and the message of a refusal. */
async function call(endpoint: Endpoint, token: string): Promise<string> {
  const outcome = await serve(endpoint, token);
  return "code" in outcome ? `${outcome.code} ${outcome.message}` : "answered";
}

async function countListed(operation: string, token: string): Promise<number> {
  const outcome = await serve(find(operation), token);
  if (!("data" in outcome)) throw new Error(JSON.stringify(outcome));
  return (outcome.data as unknown[]).length;
}

const workspaceIsSuspended = /^FORBIDDEN This workspace is suspended/;
const personIsSuspended = /^FORBIDDEN Your account is suspended/;

describe("a suspended workspace", () => {
  test("refuses its owner, a member, an agent and a relay on every route that names it", async () => {
    const grant = { workspaceId, sessionId: session.id, turnId: "turn", userId: users.owner };
    const now = Date.now();
    const tokens = [
      await issueKey(users.owner),
      await issueKey(users.member),
      await issueAgentToken(env.DB, { ...grant, expiresAt: now + 60_000 }, now),
      (await issueRelayKey(env.DB, { workspaceId, name: "Chat" }, now)).token,
    ];
    await startSuspension(unlimitedEnv, { type: "workspace", id: workspaceId }, 1);
    const naming = endpoints.filter(
      ({ access, path }) => access !== "public" && /\{(workspaceId|projectId)\}/.test(path),
    );
    expect(naming.length).toBeGreaterThan(100);
    for (const endpoint of naming)
      for (const token of tokens) expect(await call(endpoint, token), endpoint.operation).toMatch(workspaceIsSuspended);
  });

  test("is unknown to strangers, and has the time of its first suspension for members", async () => {
    await startSuspension(unlimitedEnv, { type: "workspace", id: workspaceId }, 1_000);
    await startSuspension(unlimitedEnv, { type: "workspace", id: workspaceId }, 2_000);
    const stranger = await issueKey(await addUser("stranger"));
    expect(await call(find("readWorkspace"), stranger)).not.toContain("suspended");
    expect(await serve(find("listWorkspaces"), await issueKey(users.member))).toMatchObject({
      data: [{ id: workspaceId, suspendedAt: "1970-01-01T00:00:01.000Z" }],
    });
  });

  test("has no sandbox, no shared preview, no fire of a cron, and no place in lists across workspaces", async () => {
    await env.DB.prepare(
      "INSERT INTO share_links (slug, project_id, session_id, sandbox_key, created_at) VALUES (?1, ?2, ?3, ?1, 0)",
    )
      .bind(workspaceId, projectId, session.id)
      .run();
    const elsewhere = (await addWorkspaceWith({ owner: "owner" })).workspaceId;
    await addMember(elsewhere, users.member, "member");
    const token = await issueKey(users.member);
    const claim = (type: "session" | "main", id: string) =>
      claimSlot(env.DB, crypto.randomUUID(), { workspaceId, type, id }, 1);
    const look = async () => {
      const { workspaces } = await readFeed(
        env.DB,
        { userId: users.member, workspaceId: null },
        {
          ...{ workspaceId: null, projectId: null, kinds: null, since: 0, behind: null, pageSize: 5 },
          ...{ isNewAlone: false, marksSeen: false, direction: "newest-first" },
        },
      );
      const facts = await readFireFacts(env.DB, { workspaceId, projectIds: [], userIds: [users.owner] }, []);
      const unused = await listUnusedMains(env.DB, 1, "", 1_000);
      return {
        slots: [await claim("session", session.id), await claim("main", projectId)],
        isShared: (await findSharedTarget(env.DB, workspaceId)) !== null,
        listed: [await countListed("searchSessions", token), await countListed("listProjects", token)],
        feeds: workspaces.length,
        isSuspended: facts?.isSuspended,
        isMainDeleted: unused.some((main) => main.projectId === projectId),
      };
    };
    const open = {
      slots: [true, true],
      isShared: true,
      listed: [1, 1],
      feeds: 2,
      isSuspended: false,
      isMainDeleted: true,
    };
    expect(await look()).toEqual(open);
    await startSuspension(unlimitedEnv, { type: "workspace", id: workspaceId }, 1);
    const closed = {
      slots: [false, false],
      isShared: false,
      listed: [0, 0],
      feeds: 1,
      isSuspended: true,
      isMainDeleted: false,
    };
    expect(await look()).toEqual(closed);
    await endSuspension(unlimitedEnv, { type: "workspace", id: workspaceId });
    expect(await look()).toEqual(open);
  });

  test("has its turns stopped, and everything is there when it is resumed", async () => {
    const turnId = await session.startTurn("Work.");
    await session.settled();
    expect(await startSuspension(unlimitedEnv, { type: "workspace", id: workspaceId }, 1)).toBe(1);
    expect(await session.session().turn(turnId)).toMatchObject({ status: "cancelled" });
    await endSuspension(unlimitedEnv, { type: "workspace", id: workspaceId });
    expect(await call(find("readSession"), await issueKey(users.owner))).toBe("answered");
    expect((await session.messages()).map(({ content }) => content)).toContain("Work.");
  });

  test("starts no turn of Up next, although its sandbox still runs", async () => {
    const turnId = await session.startTurn("one");
    for (const content of ["two", "three"]) await session.send(content);
    await saveSuspension(env.DB, { type: "workspace", id: workspaceId }, 1);
    const link = await session.link(turnId);
    await link.tell(1, started);
    await link.tell(2, completed);
    await expect.poll(async () => (await session.state()).chat.turn?.status).toBe("failed");
    const { turn, upNext, pause } = (await session.state()).chat;
    expect(turn).toMatchObject({ number: 2, error: expect.stringContaining("suspended") });
    expect([upNext.map(({ content }) => content), pause?.reason]).toEqual([["three"], "failed"]);
    expect(await session.sandbox.asked()).not.toContain(`start ${turn?.id}`);
  });

  test("merges no commit that waits for its checks", async () => {
    await saveSuspension(env.DB, { type: "workspace", id: workspaceId }, 1);
    const driver = await sessionWithPullRequest("active", "open");
    const asked = vi.spyOn(globalThis, "fetch").mockRejectedValue(new Error("nothing is asked"));
    const ship = JSON.stringify({ turnId: "turn-1", sha: "a".repeat(40) });
    await driver.sql("UPDATE session SET workspace_id = ?, ship = ?, pr_number = 4711", workspaceId, ship);
    const effect = JSON.stringify({ type: "ship" });
    await driver.sql("INSERT INTO effects (key, effect, ticket, attempts, due_at) VALUES ('ship', ?, 1, 0, 0)", effect);
    await evictDurableObject(driver.session());
    await driver.session().read();
    const readAttempts = async () => {
      const rows = await driver.sql<{ attempts: number }>("SELECT attempts FROM effects WHERE key = 'ship'");
      return rows[0]?.attempts;
    };
    await expect.poll(readAttempts).toBeGreaterThan(0);
    // Other objects of the process ask about their own.
    const own = asked.mock.calls.map(([url]) => String(url)).filter((url) => /\b4711\b|aaaaaaaa/.test(url));
    expect(own).toEqual([]);
    vi.restoreAllMocks();
  });
});

test("a suspended person is refused everywhere, and others are not", async () => {
  const [member, owner] = [await issueKey(users.member), await issueKey(users.owner)];
  await startSuspension(unlimitedEnv, { type: "person", id: users.member }, 1);
  for (const endpoint of endpoints)
    if (endpoint.access !== "public")
      expect(await call(endpoint, member), endpoint.operation).toMatch(personIsSuspended);
  expect(await call(find("readSession"), owner)).toBe("answered");
  const facts = await readFireFacts(env.DB, { workspaceId, projectIds: [], userIds: [users.member] }, []);
  expect(facts?.isSuspended).toBe(true);
  await endSuspension(unlimitedEnv, { type: "person", id: users.member });
  expect(await call(find("readSession"), member)).toBe("answered");
});

test("the runs of crons that a suspended person created or wrote last are what is stopped", async () => {
  const cron = async (createdBy: string, writerId: string | null) => {
    const [cronId, runId] = [crypto.randomUUID(), crypto.randomUUID()];
    const at = [
      env.DB.prepare(
        `INSERT INTO crons (id, workspace_id, name, prompt, cron_expression, enabled, created_by, search_text, created_at, updated_at)
         VALUES (?1, ?2, 'C', 'p', '0 9 * * *', 1, ?3, 'c', 0, 0)`,
      ).bind(cronId, workspaceId, createdBy),
      env.DB.prepare(
        `INSERT INTO cron_runs (id, cron_id, workspace_id, project_id, project_name, status, is_opened, created_at)
         VALUES (?1, ?2, ?3, ?4, 'P', 'running', 1, 0)`,
      ).bind(runId, cronId, workspaceId, projectId),
    ];
    await env.DB.batch(at);
    if (writerId === null) return runId;
    await env.DB.prepare(
      `INSERT INTO keys (hash, id, kind, user_id, workspace_id, turn_id, cron_id, project_id, name, last_four, created_at, bounds)
       VALUES (?1, ?1, 'cron-run', ?2, ?3, ?1, ?4, ?5, 'cron run', 'abcd', 0, json_object('writer', json_object('userId', ?6)))`,
    )
      .bind(runId, createdBy, workspaceId, cronId, projectId, writerId)
      .run();
    return runId;
  };
  const [created, written] = [await cron(users.member, null), await cron(users.owner, users.member)];
  await cron(users.owner, null);
  const work = await listWorkOfPerson(env.DB, users.member);
  expect(work.map(({ type, id }) => `${type} ${id}`).sort()).toEqual(
    [`cron-run ${created}`, `cron-run ${written}`].sort(),
  );
});
