// The warm pool as a project's object maintains it: real sandbox objects on a scripted host, and
// the rows of D1.
import { env } from "cloudflare:workers";
import { beforeEach, expect, test } from "vitest";
import type { ProjectContext } from "../../../durable-objects/project/context.ts";
import { endSpares, updatePool } from "../../../durable-objects/project/deploy/spare-pool.ts";
import { handleProjectReminder, performProjectEffect } from "../../../durable-objects/project/effects.ts";
import { createProjectState } from "../../../durable-objects/project/store.ts";
import type { ProjectState } from "../../../src/deploy/rules/project-state.ts";
import { createPoolAfterDeploy, resetFailures } from "../../../src/deploy/rules/spare-pool.ts";
import type { ProjectEffect } from "../../../src/rules/effect.ts";
import { isRefusal } from "../../../src/rules/refusal.ts";
import { claimSpare } from "../../../src/sandbox/queries/spares.ts";
import { deploy } from "../../support/deploy-state.ts";
import { standIn } from "../support/outside.ts";
import { freshSandbox, host, idle, owner, sandbox, slots, until } from "../support/sandbox-driver.ts";
import { programRefusal } from "../support/scripted-host.ts";

let head: string;
beforeEach(() =>
  standIn("http://code-host.test/", () => Response.json({ base_commit: { sha: head }, ahead_by: 0, behind_by: 0 })),
);

let projectId: string;
let state: ProjectState;
let reminded: number[];
let requested: ProjectEffect[];
/** The part of a project object that its pool uses. */
const context = {
  env: { ...env, SANDBOX: env.OWN_SANDBOX },
  store: { find: () => state },
  withLock: (_: string, work: () => Promise<unknown>) => work(),
  shell: { remindBy: (_: string, at: number) => void reminded.push(at) },
  decide(rule: Parameters<ProjectContext["decide"]>[0]) {
    const decision = rule({ ...state, says: [] }, Date.now());
    if (isRefusal(decision)) throw new Error(decision.message);
    requested.push(...decision.effects);
    state = { ...decision.state, says: [...state.says, ...decision.state.says] };
  },
} as unknown as ProjectContext;

const run = (sql: string, ...values: unknown[]) =>
  env.DB.prepare(sql)
    .bind(...values)
    .run();
const spares = async () =>
  (await run("SELECT sandbox_key AS key, state FROM sandbox_spares WHERE project_id = ?1", projectId)).results;
const running = () => [...host.running.keys()];
const broken = programRefusal("SETUP_FAILED", "The setup command `make` ended with exit code 2.");

async function moveOn() {
  head = "2".repeat(40);
}
/** Ends the sandbox of the spare, because nobody used it for hours. */
async function endSpareSandbox() {
  await idle(running()[0]);
  await until(slots).toBe(0);
}
async function passTime() {
  state = { ...state, pool: { warmUntil: Date.now() - 1, failures: 0 } };
}

beforeEach(async () => {
  await freshSandbox();
  await run("UPDATE workspaces SET plan = 'team', suspended_at = NULL WHERE id = ?1", owner.workspaceId);
  projectId = crypto.randomUUID();
  head = "1".repeat(40);
  reminded = [];
  requested = [];
  await run(
    `INSERT INTO projects
       (id, workspace_id, name, repository, target_branch, deploy_status, is_live, settings, main_sandbox_key, created_at, updated_at)
     VALUES (?1, ?2, 'App', 'acme/app', 'main', 'deployed', 1, '{"setup":["make"],"services":[],"env":{}}', 'm0', 0, 0)`,
    projectId,
    owner.workspaceId,
  );
  const { workspaceId } = owner;
  state = {
    ...createProjectState({ projectId, workspaceId, liveSandboxKey: "m0" }),
    deploy: deploy("deployed"),
    pool: createPoolAfterDeploy(Date.now()),
  };
});

test("a pool is filled by the plan, only with sandboxes of the settings, and is checked again when its time is over", async () => {
  await run("UPDATE workspaces SET plan = 'enterprise' WHERE id = ?1", owner.workspaceId);
  await updatePool(context);
  const found = await spares();
  expect(found).toEqual([expect.objectContaining({ state: "ready" }), expect.objectContaining({ state: "ready" })]);
  expect(running().sort()).toEqual(found.map(({ key }) => key).sort());
  expect(reminded).toContain(state.pool.warmUntil);
  await updatePool(context);
  expect(await spares()).toEqual(found);
});

test("a spare that a session took is replaced; the session's sandbox stays", async () => {
  await updatePool(context);
  const { SANDBOX_PROGRAM: program } = env;
  const claim = { sessionId: "session-1", projectId, program, targetBranch: "main", now: Date.now() };
  const taken = await claimSpare(env.DB, claim);
  await updatePool(context);
  expect(running()).toHaveLength(2);
  expect(running()).toContain(taken?.sandboxKey);
});

test.each<[string, () => Promise<unknown>, number]>([
  [
    "its settings have changed",
    () => run(`UPDATE projects SET settings = '{"setup":[],"services":[],"env":{}}' WHERE id = ?1`, projectId),
    1,
  ],
  ["the Target Branch has a newer commit", moveOn, 1],
  [
    "the sandbox program is another one",
    () => run("UPDATE sandbox_spares SET program = 'older' WHERE project_id = ?1", projectId),
    1,
  ],
  ["its sandbox was idle for too long", endSpareSandbox, 1],
  ["the project is not live any more", () => run("UPDATE projects SET is_live = 0 WHERE id = ?1", projectId), 0],
  ["the plan has none", () => run("UPDATE workspaces SET plan = 'free' WHERE id = ?1", owner.workspaceId), 0],
  ["its ten minutes are over", passTime, 0],
  [
    "the workspace is suspended",
    () => run("UPDATE workspaces SET suspended_at = 1 WHERE id = ?1", owner.workspaceId),
    0,
  ],
])("a spare ends once %s", async (_, change, left) => {
  await updatePool(context);
  const [before] = running();
  await change();
  await updatePool(context);
  expect(await spares()).toHaveLength(left);
  await expect.poll(running, { interval: 20 }).toHaveLength(left);
  expect(running()).not.toContain(before);
});

test("two failures in a row stop filling, which is reported once, until something has changed", async () => {
  host.answerNext("PUT /checkout", broken, broken, broken);
  await updatePool(context);
  const said = () => state.says.map(({ content }) => content);
  expect(said()).toEqual([
    expect.stringMatching(/^Spare sandboxes failed to start twice in a row[\s\S]*`make` ended with exit code 2/),
  ]);
  await updatePool(context);
  await expect.poll(running, { interval: 20 }).toEqual([]);
  expect([await spares(), host.count("PUT /checkout")]).toEqual([[], 2]);
  state = { ...state, pool: resetFailures(state.pool) };
  await updatePool(context);
  // One failed, and the next started.
  expect([said().length, host.count("PUT /checkout"), (await spares()).length]).toEqual([1, 4, 1]);
});

test.each(["tend-pool", "follow-target"] as const)(
  "the reminder %s only requests the work, so that the alarm with the project's other reminders does not wait for it",
  async (name) => {
    await handleProjectReminder(context, name);
    expect([requested, running()]).toEqual([[{ type: name }], []]);
    await performProjectEffect(context, { type: name });
    expect(running()).toHaveLength(name === "tend-pool" ? 1 : 0);
  },
);

test("a spare that was started before a restart of the object continues; a deleted project's ends", async () => {
  await run(
    `INSERT INTO sandbox_spares (sandbox_key, workspace_id, project_id, state, target_branch, "commit", settings, program, created_at)
     SELECT 's0begun', workspace_id, id, 'making', 'main', NULL, settings, ?2, 0 FROM projects WHERE id = ?1`,
    projectId,
    env.SANDBOX_PROGRAM,
  );
  await updatePool(context);
  expect(await spares()).toEqual([{ key: "s0begun", state: "ready" }]);
  await endSpares(context.env, projectId);
  expect(await spares()).toEqual([]);
  await expect.poll(async () => (await sandbox("s0begun").status()).state).toBe("gone");
});
