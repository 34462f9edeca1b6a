// What the agents of sessions file: 20 sessions in a turn, three deep, for any number of concurrent
// and repeated requests.
import { evictDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import type { Caller } from "../../../src/access/rules/caller.ts";
import type { Env } from "../../../src/env.ts";
import type { Idempotency } from "../../../src/rules/idempotency.ts";
import { isRefusal, type Refusal } from "../../../src/rules/refusal.ts";
import { createSession } from "../../../src/session/create.ts";
import { noSpend } from "../../../src/usage/rules/spend-limit.ts";
import { beginSession, completed, type SessionDriver, started } from "../support/session-driver.ts";

/** Files a session with the API token of a turn. */
async function file({ id, record }: SessionDriver, turnId: string, repeat: Idempotency | null = null) {
  const { workspaceId, projectId } = record;
  const caller: Caller = {
    keyId: "key-1",
    facts: { kind: "agent", sameWorkspace: true, assigneeSentTurn: false },
    actor: { type: "session-agent", sessionId: id, user: null, role: null },
    user: null,
    workspaceId,
    projectId: null,
    turnId,
    expiresAt: null,
  };
  const workspace = {
    id: workspaceId,
    plan: "free",
    defaultModel: null,
    generatedTitles: false,
    providers: [],
  } as const;
  const project = {
    id: projectId,
    name: "P",
    targetBranch: "main",
    deployStatus: "deployed",
    isLive: true,
    holdsSessionsUp: false,
    hasSpare: false,
    mainSandboxKey: "m1",
  } as const;
  const none = { runningMsThisMonth: 0, workspaceSpend: noSpend, callerModels: null };
  const found = { workspace: { ...workspace, providers: [], suspendedAt: null }, project, ...none };
  const draft = { title: "Later", status: "backlog", priority: "none" } as const;
  return await createSession(env as unknown as Env, { caller, found, draft, repeat, now: Date.now() });
}

async function working(changes: { filedDepth?: number } = {}) {
  const driver = await beginSession(null, changes);
  const turnId = await driver.startTurn("File what is left.");
  const link = await driver.link(turnId);
  await link.tell(1, started);
  return { driver, turnId, link };
}

const refused = (answers: (object | Refusal)[]) => answers.filter(isRefusal).map(({ code }) => code);

test("a turn files up to 20 sessions, also by concurrent requests and after an eviction", async () => {
  const { driver, turnId, link } = await working();
  const atOnce = await Promise.all(Array.from({ length: 15 }, () => file(driver, turnId)));
  expect(refused(atOnce)).toEqual([]);
  await evictDurableObject(driver.session());
  const more = await Promise.all(Array.from({ length: 10 }, () => file(driver, turnId)));
  expect(refused(more)).toEqual(Array(5).fill("FORBIDDEN"));
  await link.tell(2, completed);
  const next = await driver.startTurn("And the rest.");
  expect(refused([await file(driver, next)])).toEqual([]);
});

test("a repeated request returns the same session, even after the last one", async () => {
  const { driver, turnId } = await working();
  const repeat = { key: `${driver.id} file`, bodyHash: "h" };
  const first = await file(driver, turnId, repeat);
  for (let more = 0; more < 19; more++) await file(driver, turnId);
  expect(await file(driver, turnId, repeat)).toEqual(first);
  expect(refused([await file(driver, turnId)])).toEqual(["FORBIDDEN"]);
});

test("the agent of the third session in a chain files none", async () => {
  for (const [filedDepth, files] of [
    [0, true],
    [2, true],
    [3, false],
  ] as const) {
    const { driver, turnId } = await working({ filedDepth });
    await evictDurableObject(driver.session());
    const filed = await file(driver, turnId);
    expect(isRefusal(filed)).toBe(!files);
    if (isRefusal(filed)) continue;
    const child = await env.SESSION.getByName(filed.session.session.id).read();
    expect(child).toMatchObject({ session: { filedDepth: filedDepth + 1, filedBy: { sessionId: driver.id } } });
  }
});

test("an ended turn files nothing", async () => {
  const { driver, turnId, link } = await working();
  await link.tell(2, completed);
  expect(await file(driver, turnId)).toMatchObject({ code: "FORBIDDEN", message: "This turn is over." });
});
