// A session that starts in a spare: which one it gets, and what happens to a spare that was claimed
// in vain.
import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import { createTextMessage } from "../../../src/chat/rules/message.ts";
import { isRefusal } from "../../../src/rules/refusal.ts";
import { finishSpare, listSpareKeys, startSpare } from "../../../src/sandbox/queries/spares.ts";
import { beginSession, by, facts, type SessionDriver } from "../support/session-driver.ts";

const run = (sql: string, ...values: unknown[]) =>
  env.DB.prepare(sql)
    .bind(...values)
    .run();

/** Adds a ready spare to the project of a session. */
async function addSpare({ record: { projectId, workspaceId } }: SessionDriver): Promise<string> {
  const key = `s${crypto.randomUUID().replaceAll("-", "").slice(0, 16)}`;
  await run(
    "INSERT OR IGNORE INTO workspaces (id, name, slug, timezone, plan, created_at) VALUES (?1, ?1, ?1, 'UTC', 'team', 0)",
    workspaceId,
  );
  await run(
    `INSERT OR IGNORE INTO projects
       (id, workspace_id, name, repository, target_branch, deploy_status, is_live, settings, main_sandbox_key, created_at, updated_at)
     VALUES (?1, ?2, 'P', 'acme/app', 'main', 'deployed', 1, '{}', 'm1', 0, 0)`,
    projectId,
    workspaceId,
  );
  // The sweep of old slots, which other tests run on the same database, leaves a new one.
  const now = Date.now();
  await startSpare(env.DB, { sandboxKey: key, projectId, program: env.SANDBOX_PROGRAM, commit: null, now });
  await run(
    `INSERT INTO sandbox_slots (sandbox_key, workspace_id, owner_type, owner_id, state, claimed_at)
     VALUES (?1, ?2, 'spare', ?1, 'running', ?3)`,
    key,
    workspaceId,
    now,
  );
  await finishSpare(env.DB, key, env.SANDBOX_PROGRAM);
  return key;
}

/** Of the same project. */
const beside = ({ record: { projectId, workspaceId } }: SessionDriver) => ({ projectId, workspaceId });
/** The workspace is its own: the slots of other tests would leave no room for a spare. */
const backlog = () =>
  beginSession(null, { workspaceId: `ws_${crypto.randomUUID()}`, status: "backlog", prompt: "Begin." });
const order = { by, model: null, runningTurnId: null, retriedTurnId: null, seen: null };
const activate = (driver: SessionDriver, hasSpare: boolean) =>
  driver.session().activate(order, { ...facts, hasSpare }, null);
const spares = ({ record: { projectId } }: SessionDriver) => listSpareKeys(env.DB, projectId);

test("a session that starts gets the spare as its sandbox; the next one keeps its own key", async () => {
  const driver = await backlog();
  const spare = await addSpare(driver);
  expect(await activate(driver, true)).toMatchObject({ delivery: { delivery: "job" } });
  expect((await driver.state()).session.sandboxKey).toBe(spare);
  expect(await spares(driver)).toEqual([]);
  const other = await beginSession(null, { ...beside(driver), status: "backlog", prompt: "Begin." });
  await activate(other, true);
  expect((await other.state()).session.sandboxKey).toBe(other.record.sandboxKey);
});

test("if the facts contain no spare, none is claimed", async () => {
  const driver = await backlog();
  const spare = await addSpare(driver);
  await activate(driver, false);
  expect((await driver.state()).session.sandboxKey).toBe(driver.record.sandboxKey);
  expect(await spares(driver)).toEqual([spare]);
});

test("the first message of a session that was started without one gets a spare; later ones, and a sandbox that was used, keep theirs", async () => {
  const body = createTextMessage("Go on.");
  const send = (driver: SessionDriver) => driver.session().send({ ...order, body }, { ...facts, hasSpare: true }, null);
  const driver = await beginSession();
  const first = await addSpare(driver);
  await send(driver);
  expect((await driver.state()).session.sandboxKey).toBe(first);
  const second = await addSpare(driver);
  await send(driver);
  expect([(await driver.state()).session.sandboxKey, await spares(driver)]).toEqual([first, [second]]);
  const used = await beginSession(null, beside(driver));
  await used.sandbox.bringUp();
  await send(used);
  expect([(await used.state()).session.sandboxKey, await spares(driver)]).toEqual([used.record.sandboxKey, [second]]);
});

test("a preview that is opened before the first message uses a spare, and lists have its sandbox immediately", async () => {
  const driver = await beginSession();
  expect(await driver.session().claimSpare()).toBe(driver.record.sandboxKey);
  const spare = await addSpare(driver);
  expect(await driver.session().claimSpare()).toBe(spare);
  expect(
    await env.DB.prepare("SELECT sandbox_key FROM sessions WHERE id = ?1").bind(driver.id).first("sandbox_key"),
  ).toBe(spare);
  const other = await addSpare(driver);
  await driver.startTurn("Begin.");
  expect([await driver.session().claimSpare(), await spares(driver)]).toEqual([spare, [other]]);
  const unstarted = await backlog();
  expect(await unstarted.session().claimSpare()).toBe(unstarted.record.sandboxKey);
});

test("of twenty sessions that start concurrently each spare goes to one, and the others keep their own key", async () => {
  const first = await backlog();
  const project = { ...beside(first), status: "backlog", prompt: "Begin." } as const;
  const drivers = [first, ...(await Promise.all(Array.from({ length: 19 }, () => beginSession(null, project))))];
  const keys = [await addSpare(first), await addSpare(first), await addSpare(first)];
  await Promise.all(drivers.map((driver) => activate(driver, true)));
  const got = await Promise.all(drivers.map(async (driver) => (await driver.state()).session.sandboxKey));
  expect(new Set(got).size).toBe(20);
  expect(got.filter((key) => keys.includes(key)).sort()).toEqual(keys.sort());
  expect(got.filter((key) => drivers.some(({ record }) => record.sandboxKey === key))).toHaveLength(17);
});

test("a start that is refused claims nothing; of two concurrent ones one gets a spare, and the other's is released", async () => {
  const driver = await backlog();
  const first = await addSpare(driver);
  expect(
    await driver.session().activate(order, { ...facts, hasSpare: true, isBlockedOnBilling: true }, null),
  ).toMatchObject({
    code: "CREDIT_LIMIT_REACHED",
  });
  expect(await spares(driver)).toEqual([first]);
  const second = await addSpare(driver);
  const outcomes = await Promise.all([activate(driver, true), activate(driver, true)]);
  expect(outcomes.filter(isRefusal)).toHaveLength(1);
  const { sandboxKey } = (await driver.state()).session;
  expect(await spares(driver)).toEqual([first, second].filter((key) => key !== sandboxKey));
});
