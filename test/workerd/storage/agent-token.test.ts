// Agent tokens: what each grants to whom, and when it ends.
import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, test } from "vitest";
import type { NounKind } from "../../../src/access/queries.ts";
import type { Action } from "../../../src/access/rules/permission-table.ts";
import { authenticate, checkStillAuthorized } from "../../../src/http/authenticate.ts";
import {
  issueAgentToken,
  revokeAgentTokens,
  revokeSessionTokens,
  revokeUserKey,
} from "../../../src/key/queries/keys.ts";
import { isRefusal } from "../../../src/rules/refusal.ts";
import { issueApiKey } from "../support/issued-keys.ts";

const now = 1_000;
const expiresAt = 2_000;

let home: string;
let elsewhere: string;
beforeEach(async () => {
  home = await newWorkspace();
  elsewhere = await newWorkspace();
});

/** A workspace with a member, a project and a session, all with the same id. */
async function newWorkspace(): Promise<string> {
  const id = crypto.randomUUID();
  const statements = [
    "INSERT INTO workspaces (id, name, slug, plan, created_at) VALUES (?1, 'A', ?1, 'team', 0)",
    "INSERT INTO users (id, name, email, created_at) VALUES (?1, 'U', ?1, 0)",
    "INSERT INTO members (workspace_id, user_id, role, joined_at) VALUES (?1, ?1, 'member', 0)",
    `INSERT INTO projects (id, workspace_id, name, repository, target_branch, deploy_status, settings, main_sandbox_key, created_at, updated_at)
     VALUES (?1, ?1, 'P', 'a/b', 'main', 'deployed', '{}', 'm', 0, 0)`,
    `INSERT INTO sessions (id, workspace_id, project_id, title, status, priority, target_branch, sandbox_key, is_behind, queue_count,
       created_at, updated_at) VALUES (?1, ?1, ?1, 'S', 'active', 'none', 'main', ?1, 0, 0, 0, 0)`,
  ];
  await env.DB.batch(statements.map((statement) => env.DB.prepare(statement).bind(id)));
  return id;
}

const issue = (userId: string | null, turnId = "turn") =>
  issueAgentToken(env.DB, { workspaceId: home, sessionId: home, turnId: home + turnId, userId, expiresAt }, now);

/** The response to an agent's request: `yes`, or the code of a refusal. */
async function ask(token: string, action: Action, noun: NounKind, of = home, more = {}): Promise<string> {
  const { at, sessionId, isAtLimit } = { at: now, sessionId: of, isAtLimit: false, ...more };
  const circumstances = {
    DB: env.DB,
    PUBLIC_URL: "http://service.test",
    SANDBOX_HOST_URL: "",
    KEY_REQUESTS: { limit: async () => ({ success: !isAtLimit }) },
    USER_REQUESTS: { limit: async () => ({ success: true }) },
    FAILED_CREDENTIALS: { limit: async () => ({ success: true }) },
  };
  const request = new Request(circumstances.PUBLIC_URL, { headers: { authorization: `Bearer ${token}` } });
  const params = { workspaceId: of, projectId: of, sessionId };
  const authenticated = await authenticate(circumstances, request, { action, noun, params }, at);
  return isRefusal(authenticated) ? authenticated.code : "yes";
}

test("the token of the Assignee's turn has the Assignee's access, any other only an agent's own", async () => {
  const ofAssignee = await issue(home);
  const ofOther = await issue(null);
  expect(await ask(ofAssignee, "session.send", "session")).toBe("yes");
  expect(await ask(ofOther, "session.send", "session")).toBe("yes");
  expect(await ask(ofAssignee, "cron.read", "workspace")).toBe("yes");
  expect(await ask(ofOther, "cron.read", "workspace")).toBe("FORBIDDEN");
});

test("neither has access to another workspace, even of the Assignee", async () => {
  await env.DB.prepare("INSERT INTO members (workspace_id, user_id, role, joined_at) VALUES (?1, ?2, 'owner', 0)")
    .bind(elsewhere, home)
    .run();
  for (const token of [await issue(home), await issue(null)]) {
    expect(await ask(token, "session.read", "session", elsewhere)).toBe("FORBIDDEN");
    expect(await ask(token, "project.read", "project", elsewhere)).toBe("FORBIDDEN");
  }
});

test("the existence of a session in another workspace is not revealed", async () => {
  for (const token of [await issue(home), await issue(null)])
    expect(await ask(token, "session.read", "session", elsewhere, { sessionId: "nothing" })).toBe("FORBIDDEN");
});

test("a member's token is refused after they leave, also on routes without a workspace", async () => {
  const token = await issue(home);
  expect(await ask(token, "models.read", "none")).toBe("yes");
  await env.DB.prepare("DELETE FROM members WHERE user_id = ?1").bind(home).run();
  expect(await ask(token, "session.read", "session")).toBe("FORBIDDEN");
  expect(await ask(token, "models.read", "none")).toBe("FORBIDDEN");
});

test("a token that acts as nobody needs no member", async () => {
  const token = await issue(null);
  await env.DB.prepare("DELETE FROM members WHERE user_id = ?1").bind(home).run();
  expect(await ask(token, "session.read", "session")).toBe("yes");
});

test("a token with too many requests gets the rate limit, and an ended one a 401", async () => {
  const token = await issue(home);
  expect(await ask(token, "session.read", "session", home, { isAtLimit: true })).toBe("TOO_MANY_REQUESTS");
  await revokeSessionTokens(env.DB, home);
  expect(await ask(token, "session.read", "session", home, { isAtLimit: true })).toBe("UNAUTHORIZED");
});

test("access ends when the key, its time or the membership ends", async () => {
  const keys = await Promise.all([1, 2, 3].map(() => issueApiKey(env.DB, { userId: home, name: "k", expiresAt }, now)));
  const [revoked, expired, left] = keys.map(({ token }) => token) as [string, string, string];
  const checkStill = async (token: string, at = now) => {
    const request = new Request("http://service.test", { headers: { authorization: `Bearer ${token}` } });
    const circumstances = { DB: env.DB, PUBLIC_URL: "http://service.test" };
    const params = { projectId: home, sessionId: home };
    const asked = { action: "session.read", noun: "session", params } as const;
    return (await checkStillAuthorized(circumstances, request, asked, at))?.code ?? null;
  };
  for (const token of [revoked, expired, left]) expect(await checkStill(token)).toBeNull();
  await revokeUserKey(env.DB, "api-key", home, keys[0]?.row.id ?? "");
  expect(await checkStill(revoked)).toBe("UNAUTHORIZED");
  expect(await checkStill(expired, expiresAt)).toBe("UNAUTHORIZED");
  await env.DB.prepare("DELETE FROM members WHERE user_id = ?1").bind(home).run();
  expect(await checkStill(left)).toBe("FORBIDDEN");
});

describe("access ends", () => {
  test.each([
    ["", () => issue(home)],
    [
      ", as an API key does",
      async () => (await issueApiKey(env.DB, { userId: home, name: "k", expiresAt }, now)).token,
    ],
  ])("at its time%s", async (_, issued) => {
    const token = await issued();
    expect(await ask(token, "session.read", "session", home, { at: expiresAt - 1 })).toBe("yes");
    expect(await ask(token, "session.read", "session", home, { at: expiresAt })).toBe("UNAUTHORIZED");
  });

  test("with its turn, and with no other", async () => {
    const [ended, goesOn] = [await issue(home, "ended"), await issue(home, "goes on")];
    await revokeAgentTokens(env.DB, `${home}ended`);
    await revokeAgentTokens(env.DB, `${home}ended`);
    expect(await ask(ended, "session.read", "session")).toBe("UNAUTHORIZED");
    expect(await ask(goesOn, "session.read", "session")).toBe("yes");
  });

  test("with its session", async () => {
    const tokens = [await issue(home, "one"), await issue(null, "two")];
    await revokeSessionTokens(env.DB, elsewhere);
    for (const token of tokens) expect(await ask(token, "session.read", "session")).toBe("yes");
    await revokeSessionTokens(env.DB, home);
    for (const token of tokens) expect(await ask(token, "session.read", "session")).toBe("UNAUTHORIZED");
  });
});
