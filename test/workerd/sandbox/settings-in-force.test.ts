// A change of a project's settings reaches a sandbox at its next start or reset, and then all of it
// together: services, preview addresses and the agent's commands.
import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, beforeEach, expect, test } from "vitest";
import { planBranchSync } from "../../../src/checkout/plan-branch-sync.ts";
import type { ProjectSettings } from "../../../src/project/rules/settings.ts";
import { sealSettings } from "../../../src/project/settings.ts";
import { isRefusal } from "../../../src/rules/refusal.ts";
import {
  freshSandbox,
  host,
  idle,
  key,
  owner,
  sandbox,
  settled,
  turnRequest,
  until,
} from "../support/sandbox-driver.ts";
import { beginSession } from "../support/session-driver.ts";
import { unlimitedEnv } from "../support/unlimited-env.ts";

const createSettings = (mark: string): ProjectSettings => ({
  setup: [],
  services: [{ name: mark, command: "run", env: { KEY: `of ${mark}` }, endpoints: [{ port: 3_000, public: true }] }],
  env: { MARK: mark },
});

async function put(settings: ProjectSettings): Promise<void> {
  const sealed = await sealSettings(env.SEALING_KEYS, { id: owner.projectId, settings });
  await env.DB.prepare("UPDATE projects SET settings = ?2, settings_key = ?3 WHERE id = ?1")
    .bind(owner.projectId, JSON.stringify(sealed.settings), sealed.settingsKey)
    .run();
}

beforeEach(async () => {
  await freshSandbox();
  await put(createSettings("before"));
});
afterEach(() => put({ setup: [], services: [], env: {} }));

const shown = async () => (await sandbox().layout()).services?.map(({ name }) => name) ?? null;
const toldServices = () => host.bodies.filter((body) => body.includes('"restart"')).map((body) => JSON.parse(body));

/** The services and the variable of a sync's plan. */
async function syncPlan(): Promise<unknown> {
  const session = await beginSession(null, { projectId: owner.projectId, sandboxKey: key });
  const turnId = await session.startTurn("/svc:sync-branch");
  const turn = { owner: { type: "session", id: session.id } as const, sandboxKey: key, turnId };
  const plan = await planBranchSync({ ...unlimitedEnv, SANDBOX: env.OWN_SANDBOX }, turn);
  return isRefusal(plan) ? plan : [plan.services.map(({ name }) => name), plan.env.MARK];
}

/** The environment of the agent's commands in the next turn. */
async function agentsMark(): Promise<string> {
  const session = await beginSession();
  const turnId = await session.startTurn("hello");
  const before = host.count("POST /turns");
  await sandbox().startTurn({ ...turnRequest, owner: { type: "session", id: session.id }, turnId });
  expect(host.count("POST /turns")).toBe(before + 1);
  const start = JSON.parse(host.bodies.findLast((body) => body.includes('"secretNames"')) ?? "{}");
  expect([start.secretNames, start.secrets]).toEqual([["MARK"], [`of ${start.env.MARK}`]]);
  await sandbox().release(turnId);
  return start.env.MARK;
}

test("changed settings have no effect on a running sandbox; a reset applies them", async () => {
  await sandbox().wakeForPreview(owner);
  expect([await shown(), await agentsMark()]).toEqual([["before"], "before"]);
  await put(createSettings("behind"));
  expect([await shown(), await agentsMark()]).toEqual([["before"], "before"]);
  expect(await syncPlan()).toEqual([["before"], "before"]);
  expect((await sandbox().status()).layout).toMatchObject([{ name: "before" }]);
  expect(toldServices()).toHaveLength(1);
  await sandbox().reset();
  await settled();
  expect(toldServices().at(-1)).toMatchObject({ env: { MARK: "behind" }, restart: true });
  expect([await shown(), await agentsMark()]).toEqual([["behind"], "behind"]);
  expect(await syncPlan()).toEqual([["behind"], "behind"]);
});

test("a start applies new settings, and a sleeping sandbox has none", async () => {
  await sandbox().wakeForPreview(owner);
  await idle();
  await until(async () => (await sandbox().status()).state).toBe("paused");
  expect([await shown(), (await sandbox().status()).layout]).toEqual([null, null]);
  await put(createSettings("behind"));
  await sandbox().wakeForPreview(owner);
  await until(shown).toEqual(["behind"]);
  expect(await agentsMark()).toBe("behind");
});

test("they are stored sealed, and are deleted with the sandbox", async () => {
  const kept = () =>
    runInDurableObject(sandbox(), (_, { storage }) =>
      storage.sql.exec("SELECT settings FROM settings_in_force").toArray(),
    );
  await put({ ...createSettings("before"), env: { MARK: "a secret value" } });
  await sandbox().wakeForPreview(owner);
  for (const isReset of [false, true]) {
    if (isReset) await sandbox().reset();
    await settled();
    const [row] = await kept();
    expect(row?.settings).toContain("MARK");
    expect(row?.settings).not.toContain("a secret value");
  }
  await sandbox().destroy();
  await settled();
  expect(await kept()).toEqual([]);
});
