// Drives sandbox objects of the product on a scripted host: a key of its own for each test, and
// what the tests read of objects and storage.
import { runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect } from "vitest";
import type { AgentProfile } from "../../../src/chat/rules/agent-profile.ts";
import type { TurnModel } from "../../../src/model/turn-model.ts";
import type { SandboxHolder } from "../../../src/sandbox/rules/lifecycle.ts";
import type { SandboxOwner } from "../../../src/sandbox/rules/owner.ts";
import type { TurnRequest } from "../../../src/sandbox/turn-request.ts";
import { openScriptedHost } from "./scripted-host.ts";

export const owner: SandboxOwner = {
  type: "session",
  id: "00000000-0000-4000-8000-000000000002",
  workspaceId: "ws_team",
  projectId: "00000000-0000-4000-8000-000000000001",
  branch: "svc/a-test-000000",
  baseBranch: "main",
};

export const model: TurnModel = {
  provider: "anthropic",
  wire: "anthropic-messages",
  id: "opus",
  effort: "high",
  speed: null,
  contextWindow: 200_000,
  maxOutputTokens: 32_000,
  acceptsImages: true,
};

export const profile: AgentProfile = {
  tools: ["plan", "ask", "file_session", "artifact"],
  writes: true,
  git: "push",
  skills: ["factory", "project"],
  instructions: "You work in Switchyard.",
};

/** A request for a turn in that sandbox. */
export const turnRequest: TurnRequest = {
  owner: { type: "session", id: owner.id },
  sandboxOwner: owner,
  turnId: "turn-1",
  model,
  payer: { type: "workspace" },
  prompt: "Build it.",
  skill: null,
  answers: null,
  profile,
  attachments: [],
  agentToken: "",
  conversation: { id: "conversation-1", isNew: true, handover: null },
};

// One for all tests, because the work of an object after its response continues after a test.
export const host = openScriptedHost();
export let key: string;

/** Before each test: no sandbox exists, and the key is a new one. */
export async function freshSandbox(): Promise<void> {
  host.forget();
  key = newKey();
  await env.DB.batch([
    ...["team", "free"].map((plan) =>
      env.DB.prepare(
        "INSERT OR IGNORE INTO workspaces (id, name, slug, timezone, plan, created_at) VALUES (?1, ?2, ?2, 'UTC', ?2, 0)",
      ).bind(`ws_${plan}`, plan),
    ),
    env.DB.prepare(
      `INSERT OR IGNORE INTO projects
         (id, workspace_id, name, repository, target_branch, deploy_status, is_live, settings, main_sandbox_key, created_at, updated_at)
       VALUES (?1, 'ws_team', 'App', 'acme/app', 'main', 'deployed', 1, '{"setup":[],"services":[],"env":{}}', 'm0', 0, 0)`,
    ).bind(owner.projectId),
    env.DB.prepare("DELETE FROM sandbox_slots"),
  ]);
}

export const newKey = () => `s${crypto.randomUUID().replaceAll("-", "").slice(0, 16)}`;
export const sandbox = (of = key) => env.OWN_SANDBOX.getByName(of);
export const until = (read: () => Promise<unknown>) => expect.poll(read, { interval: 20 });
export const slots = async () =>
  (await env.DB.prepare("SELECT count(*) AS held FROM sandbox_slots").first<number>("held")) ?? 0;
export const slotState = () =>
  env.DB.prepare("SELECT state FROM sandbox_slots WHERE sandbox_key = ?1").bind(key).first("state");
export const generation = async () => (await sandbox().status()).generation;
export const savedWork = async () =>
  (await env.STORE.list({ prefix: `sandboxes/${key}/` })).objects.map((object) => object.key);

/** Waits until the object has done everything that its decisions requested. */
export const settled = (of = key) =>
  until(() =>
    runInDurableObject(sandbox(of), (_, { storage }) => storage.sql.exec("SELECT key FROM effects").toArray()),
  ).toEqual([]);

export const holderFor = (sessionId: string, turnId: string): SandboxHolder => ({
  turnId,
  owner: { type: "session", id: sessionId },
});

/** Makes the object believe that these turns hold the sandbox. */
export async function hold(holders: SandboxHolder[]): Promise<void> {
  await runInDurableObject(sandbox(), (_, state) => {
    state.storage.sql.exec("UPDATE sandbox SET holders = ?", JSON.stringify(holders));
  });
}

/** Makes the object believe that a turn of a session holds the sandbox. */
export const holdFor = (sessionId: string, turnId: string) => hold([holderFor(sessionId, turnId)]);

/** Ends a turn in the sandbox, so that its work is saved. */
export async function saveBehindTurn(turnId = crypto.randomUUID()): Promise<void> {
  await holdFor(owner.id, turnId);
  await sandbox().release(turnId);
  await until(savedWork).toHaveLength(1);
}

export async function fireReminders(of = key): Promise<void> {
  await runInDurableObject(sandbox(of), (_, state) => void state.storage.sql.exec("UPDATE reminders SET at = 0"));
  await runDurableObjectAlarm(sandbox(of));
}

/** Makes the object believe that nobody used the sandbox for hours. */
export async function idle(of = key): Promise<void> {
  await runInDurableObject(
    sandbox(of),
    (_, state) => void state.storage.sql.exec("UPDATE sandbox SET last_used_at = 0, last_looked_at = 0"),
  );
  await fireReminders(of);
}

/** Wakes the sandbox up to its checkout, which responds once `goOn` is called. */
export async function wakeHalfway() {
  let isOver = false;
  host.answerNext("PUT /checkout", async () => {
    while (!isOver) await scheduler.wait(5);
    return Response.json({ head: "0".repeat(40), paysABase: false });
  });
  const before = host.count("PUT /checkout");
  const woken = sandbox().wakeForPreview(owner);
  await until(async () => host.count("PUT /checkout")).toBe(before + 1);
  const goOn = () => {
    isOver = true;
  };
  return { woken, goOn };
}

/** How often the pause of the first generation was tried. */
export const triesOfPause = () =>
  runInDurableObject(sandbox(), (_, { storage }) =>
    storage.sql.exec<{ attempts: number }>("SELECT attempts FROM effects WHERE key = 'pause:1'").one(),
  ).then(({ attempts }) => attempts);
