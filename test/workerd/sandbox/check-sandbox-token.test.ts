// A task's token grants the git gateway while its sandbox exists, the session is open and the
// member is in the workspace.
import { evictDurableObject, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { beforeEach, expect, test } from "vitest";
import type { Env } from "../../../src/env.ts";
import { isTokenAlive, type SandboxToken } from "../../../src/sandbox/token.ts";
import { freshSandbox, key, owner, sandbox } from "../support/sandbox-driver.ts";
import { beginSession } from "../support/session-driver.ts";

beforeEach(freshSandbox);

/** A sandbox that runs, a session and a member, and the token of the member's push in it. */
async function memberPush() {
  const session = await beginSession();
  const memberId = `usr_${crypto.randomUUID()}`;
  await env.DB.batch([
    env.DB.prepare("INSERT INTO users (id, name, email, created_at) VALUES (?1, 'Mia', ?1, 0)").bind(memberId),
    env.DB.prepare(
      "INSERT INTO members (workspace_id, user_id, role, joined_at) VALUES ('ws_team', ?1, 'member', 0)",
    ).bind(memberId),
  ]);
  await sandbox().wakeForPreview(owner);
  const token: SandboxToken = {
    workspaceId: "ws_team",
    projectId: owner.projectId,
    owner: { type: "session", id: session.id },
    git: "push",
    branch: owner.branch,
    sandboxKey: key,
    generation: 1,
    turnId: null,
    memberId,
  };
  return { session, memberId, token };
}

const settings = { ...env, SANDBOX: env.OWN_SANDBOX } as unknown as Env;
const isAlive = (token: SandboxToken) => isTokenAlive(settings, token);

test("in a running sandbox, for an open session and a member", async () => {
  const { token } = await memberPush();
  expect(await isAlive(token)).toBe(true);
  const { memberId: _, ...ofClone } = token;
  expect(await isAlive(ofClone)).toBe(true);
  expect(await isAlive({ ...ofClone, owner: null })).toBe(true);
});

test("not for another generation", async () => {
  const { token } = await memberPush();
  for (const generation of [0, 2]) expect(await isAlive({ ...token, generation })).toBe(false);
});

test("not after the sandbox is paused or gone", async () => {
  const { token } = await memberPush();
  await sandbox().stopGracefully();
  await expect.poll(async () => (await sandbox().status()).state).toBe("paused");
  expect(await isAlive(token)).toBe(false);
  await sandbox().wakeForPreview(owner);
  expect(await isAlive({ ...token, generation: 2 })).toBe(true);
  await sandbox().destroy();
  expect(await isAlive({ ...token, generation: 2 })).toBe(false);
});

test("not after the session has ended, nor for an unknown session", async () => {
  const { token, session } = await memberPush();
  await runInDurableObject(session.session(), (_, { storage }) => {
    storage.sql.exec("UPDATE session SET status = 'completed'");
  });
  await evictDurableObject(session.session());
  expect(await isAlive(token)).toBe(false);
  expect(await isAlive({ ...token, owner: { type: "session", id: crypto.randomUUID() } })).toBe(false);
});

test("not after the member has left the workspace", async () => {
  const { token, memberId } = await memberPush();
  await env.DB.prepare("DELETE FROM members WHERE user_id = ?1").bind(memberId).run();
  expect(await isAlive(token)).toBe(false);
});
