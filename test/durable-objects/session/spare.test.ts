// A session that starts in a spare: which one it gets, and what becomes of a spare that was claimed in vain.
import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import { textMessage } from "../../../src/rules/chat/message.ts";
import { isRefusal } from "../../../src/rules/refusal.ts";
import { beginSpare, finishSpare, spareKeys } from "../../../src/storage/queries/sandbox-spares.ts";
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
  await beginSpare(env.DB, { sandboxKey: key, projectId, commit: null, now: 0 });
  await run(
    `INSERT INTO sandbox_slots (sandbox_key, workspace_id, owner_type, owner_id, state, claimed_at)
     VALUES (?1, ?2, 'spare', ?1, 'running', 0)`,
    key,
    workspaceId,
  );
  await finishSpare(env.DB, key);
  return key;
}

const backlog = () => beginSession(null, { status: "backlog", prompt: "Begin." });
const order = { by, model: null, runningTurnId: null, retriedTurnId: null, seen: null };
const activate = (driver: SessionDriver, hasSpare: boolean) =>
  driver.session().activate(order, { ...facts, hasSpare }, null);
const spares = ({ record: { projectId } }: SessionDriver) => spareKeys(env.DB, projectId);

test("a session that starts gets the spare as its sandbox; the next one keeps its own key", async () => {
  const driver = await backlog();
  const spare = await addSpare(driver);
  expect(await activate(driver, true)).toMatchObject({ delivery: { delivery: "job" } });
  expect((await driver.state()).session.sandboxKey).toBe(spare);
  expect(await spares(driver)).toEqual([]);
  const other = await beginSession(null, {
    ...driver.record,
    ...{ id: crypto.randomUUID(), status: "backlog", prompt: "Begin." },
  });
  await activate(other, true);
  expect((await other.state()).session.sandboxKey).toBe(other.record.sandboxKey);
});

test("where the facts know no spare, none is asked for", async () => {
  const driver = await backlog();
  const spare = await addSpare(driver);
  await activate(driver, false);
  expect((await driver.state()).session.sandboxKey).toBe(driver.record.sandboxKey);
  expect(await spares(driver)).toEqual([spare]);
});

test("a session that had its branch before keeps its own sandbox", async () => {
  const driver = await beginSession();
  const spare = await addSpare(driver);
  const body = textMessage("Go on.");
  await driver.session().send({ ...order, body }, { ...facts, hasSpare: true }, null);
  expect((await driver.state()).session.sandboxKey).toBe(driver.record.sandboxKey);
  expect(await spares(driver)).toEqual([spare]);
});

test("a start that is refused claims nothing; of two at once one gets the spare, and a second one claimed in vain ends", async () => {
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
  expect([first, second]).toContain((await driver.state()).session.sandboxKey);
});
