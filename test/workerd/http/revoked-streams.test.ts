// Event streams of chats, opened by their routes: a reader who loses access is disconnected
// immediately, and no other stream queries the database.
import { runDurableObjectAlarm } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { getDeletionObject, getWorkspaceEventsObject } from "../../../durable-objects/address.ts";
import { deployEventRoutes } from "../../../src/deploy/routes/deploys.ts";
import type { Env } from "../../../src/env.ts";
import { revokeKey } from "../../../src/key/create-and-revoke.ts";
import { issueAgentToken } from "../../../src/key/queries/keys.ts";
import { relayKeyRoutes } from "../../../src/key/routes/relay-keys.ts";
import { deleteProject } from "../../../src/project/update.ts";
import { isRefusal } from "../../../src/rules/refusal.ts";
import { eventRoutes } from "../../../src/session/routes/events.ts";
import { deleteWorkspace } from "../../../src/workspace/delete.ts";
import { removeFromWorkspace, updateRole } from "../../../src/workspace/members.ts";
import { watchEnd } from "../../../src/workspace/watch-end.ts";
import { withFakedTimers } from "../support/faked-timers.ts";
import { issueApiKey, issueRelayKey } from "../support/issued-keys.ts";
import { addWorkspaceWith } from "../support/people.ts";
import { beginSession, type SessionDriver } from "../support/session-driver.ts";
import { unlimitedEnv } from "../support/unlimited-env.ts";

const routes = [...eventRoutes, ...deployEventRoutes, ...relayKeyRoutes];

let workspaceId: string;
let users: Record<"owner" | "member", string>;
let session: SessionDriver;
beforeEach(async () => {
  ({ workspaceId, users } = await addWorkspaceWith({ owner: "owner", member: "member" }));
  session = await beginSession(null, { workspaceId });
  await session.settled();
  await env.DB.prepare(
    `INSERT INTO projects (id, workspace_id, name, repository, target_branch, deploy_status, settings, main_sandbox_key, created_at, updated_at)
     VALUES (?1, ?2, 'P', 'acme/app', 'main', 'deployed', '{}', 'm1', 0, 0)`,
  )
    .bind(session.record.projectId, workspaceId)
    .run();
});
afterEach(() => void vi.useRealTimers());

const issueKey = (userId: string, expiresAt: number | null = null) =>
  issueApiKey(env.DB, { userId, name: "k", expiresAt }, Date.now());
const by = () => {
  const user = { id: users.owner, name: "O", email: "o@example.com", imageUrl: null };
  return { type: "member", user, role: "owner" } as const;
};

let asked = 0;
/** The bindings of the service, whose database counts its queries. */
function counting(): Env {
  asked = 0;
  const DB = new Proxy(env.DB, {
    get(database, name) {
      asked += 1;
      const value: unknown = Reflect.get(database, name);
      return typeof value === "function" ? value.bind(database) : value;
    },
  });
  return { ...unlimitedEnv, DB };
}

async function serve(bindings: Env, operation: string, token: string, more: Record<string, string> = {}) {
  const request = new Request("http://service.test/", { headers: { authorization: `Bearer ${token}` } });
  const params = { workspaceId, projectId: session.record.projectId, sessionId: session.id, ...more };
  const answer = await routes.find((route) => route.operation === operation)?.serve(request, bindings, params);
  if (!answer) throw new Error(`no route ${operation}`);
  return answer;
}

/** Opens a stream as its route does, and reads it to its end. */
async function follow(token: string, operation = "followSession", bindings = counting()) {
  const answer = await serve(bindings, operation, token);
  if (isRefusal(answer) || !("events" in answer)) throw new Error(JSON.stringify(answer));
  const reader = answer.events.getReader();
  let isOver = false;
  const ended = (async () => {
    while (!(await reader.read()).done);
    isOver = true;
  })();
  return { ended, isOver: () => isOver, leave: () => reader.cancel() };
}

test("the streams of a removed member end immediately, and those of others continue", async () => {
  const [owner, member] = [await issueKey(users.owner), await issueKey(users.member)];
  const kept = await follow(owner.token);
  const streams = [await follow(member.token), await follow(member.token, "followDeploys")];
  await updateRole(env, { workspaceId, userId: users.member, by: by() }, "admin", Date.now());
  await session.send("Told to all.");
  expect(streams.map(({ isOver }) => isOver())).toEqual([false, false]);
  expect(await removeFromWorkspace(env, { workspaceId, userId: users.member, by: by() }, Date.now())).toBeNull();
  await Promise.all(streams.map(({ ended }) => ended));
  expect(kept.isOver()).toBe(false);
  await kept.leave();
});

test("streams end with their key: revoked, of a relay, or expired", async () => {
  const [{ token, row }, other] = [await issueKey(users.owner), await issueKey(users.owner)];
  const relay = await issueRelayKey(env.DB, { workspaceId, name: "Chat" }, Date.now());
  const kept = await follow(other.token);
  const [ofKey, ofRelay] = [await follow(token), await follow(relay.token)];
  await revokeKey(env, { kind: "api-key", userId: users.owner, keyId: row.id });
  await ofKey.ended;
  expect([ofRelay.isOver(), kept.isOver()]).toEqual([false, false]);
  expect(await serve(counting(), "revokeRelayKey", other.token, { relayKeyId: relay.row.id })).toMatchObject({
    status: 204,
  });
  await ofRelay.ended;
  // The time of day does not move, so the key is valid until its stream is open; the stream ends by
  // its own timer.
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() });
  const short = await issueKey(users.owner, Date.now() + 500);
  await (await follow(short.token)).ended;
  expect(kept.isOver()).toBe(false);
  await kept.leave();
});

test("the streams of a deleted project and of a deleted workspace end immediately", async () => {
  const { token } = await issueKey(users.member);
  const elsewhere = await beginSession(null, { workspaceId });
  const named = { id: session.record.projectId, workspaceId };
  const watch = await watchEnd(env, workspaceId, { userId: null, keyId: "k", projectId: elsewhere.record.projectId });
  let isWatchOver = false;
  watch?.addEventListener("close", () => {
    isWatchOver = true;
  });
  watch?.accept();
  const stream = await follow(token);
  expect(await deleteProject(env, named, Date.now())).toBeNull();
  await stream.ended;
  expect(isWatchOver).toBe(false);
  expect(await deleteWorkspace(env, { id: workspaceId, name: "Acme", by: by() }, Date.now())).toBeNull();
  await expect.poll(() => isWatchOver).toBe(true);
  for (const name of [{ type: "project", id: named.id } as const, { type: "workspace", id: workspaceId } as const])
    await runDurableObjectAlarm(getDeletionObject(env, name));
});

test("a hundred listeners of a session cause no query in a minute; an agent's stream does", async () => {
  const { token } = await issueKey(users.owner);
  const turnId = await session.startTurn("Work.");
  const grant = { workspaceId, sessionId: session.id, turnId, userId: null, expiresAt: Date.now() + 3_600_000 };
  const agent = await issueAgentToken(env.DB, grant, Date.now());
  const bindings = counting();
  await withFakedTimers(async () => {
    const streams = await Promise.all(Array.from({ length: 100 }, () => follow(token, "followSession", bindings)));
    asked = 0;
    await vi.advanceTimersByTimeAsync(60_000);
    expect(asked).toBe(0);
    await vi.advanceTimersByTimeAsync(4 * 60_000);
    await vi.waitFor(() => expect(asked).toBe(100), 10_000);
    const ofAgent = await follow(agent, "followSession", bindings);
    asked = 0;
    await vi.advanceTimersByTimeAsync(15_000);
    await vi.waitFor(() => expect(asked).toBe(1), 10_000);
    await Promise.all([...streams, ofAgent].map(({ leave }) => leave()));
  });
});

test("a reader who was admitted just before the end was published is not watched: that stream queries the database", async () => {
  const watched = { userId: users.member, keyId: "k", projectId: null };
  await getWorkspaceEventsObject(env, workspaceId).end({ userId: users.member });
  expect(await watchEnd(env, workspaceId, watched)).toBeNull();
  const other = await watchEnd(env, workspaceId, { ...watched, userId: users.owner });
  expect(other).not.toBeNull();
  other?.accept();
  other?.close(1000);
});
