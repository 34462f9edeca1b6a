// A webhook that concerns 490 sessions and 490 projects: each invocation notifies some of them,
// each is notified once, and a crash in between loses none.
import { abortAllDurableObjects, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import { getWebhookInboxObject } from "../../../durable-objects/address.ts";
import type { Webhook } from "../../../src/code-host/rules/webhook.ts";
import { captureLog } from "../support/captured-log.ts";
import { countAlarms } from "../support/counted-calls.ts";

const count = 490;
const until = (read: () => unknown) => expect.poll(read, { interval: 20 });
let repositoryId = 90_000;

/** Adds 490 live projects of a new repository, and in each a session on one branch. */
async function addMany() {
  repositoryId += 1;
  await env.DB.batch([
    env.DB.prepare(
      `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${count})
       INSERT INTO projects (id, workspace_id, name, repository, repository_id, target_branch, deploy_status, is_live, settings, main_sandbox_key,
         created_at, updated_at)
       SELECT 'p' || ?1 || ' ' || i, 'ws_many', 'P', 'acme/many', ?1, 'main', 'deployed', 1, '{}', 'm' || i, 0, 0 FROM n`,
    ).bind(repositoryId),
    env.DB.prepare(
      `INSERT INTO sessions (id, project_id, workspace_id, title, prompt, status, priority, queue_count, target_branch, branch, sandbox_key, created_at,
         updated_at, is_behind) SELECT 's' || id, id, 'ws_many', 'T', '', 'active', 'none', 0, 'main', 'svc/many', 'x' || id, 0, 0, 0
       FROM projects WHERE repository_id = ?1`,
    ).bind(repositoryId),
  ]);
  return { repository: "acme/many", repositoryId };
}

function createWorld(isSilent: (id: string) => boolean = () => false) {
  const told: string[] = [];
  const tell = (id: string) => async () => {
    if (isSilent(id)) throw new Error("out of reach");
    told.push(id);
  };
  const SESSION = { getByName: (id: string) => ({ handleEvent: tell(id) }) };
  const PROJECT = { getByName: (id: string) => ({ targetMoved: tell(id) }) };
  return { bindings: { ...env, SESSION, PROJECT }, told };
}

const inbox = () => getWebhookInboxObject(env, repositoryId);
const isOver = () =>
  runInDurableObject(inbox(), (_, { storage }) =>
    storage.sql.exec("SELECT id FROM deliveries WHERE due_at IS NOT NULL").toArray(),
  );

const event = {
  type: "pull-request",
  number: 1,
  url: "u",
  state: "open",
  base: "main",
  sha: "a",
  changedAt: 1,
} as const;

test.each<[string, (repository: Webhook["repository"]) => Webhook, sessions: number, projects: number]>([
  ["a pull request", (repository) => ({ type: "report", repository, branches: ["svc/many"], event }), count, 0],
  // Of the sessions, the most recently changed ones.
  ["a push", (repository) => ({ type: "push", repository, branch: "main", isForced: false }), 200, count],
])("%s is sent to each once, a page at a time", async (_, createWebhook, sessions, projects) => {
  const webhook = createWebhook(await addMany());
  const { bindings, told } = createWorld();
  const alarms = await countAlarms(inbox(), bindings);
  await inbox().receive("d", webhook);
  await until(isOver).toEqual([]);
  expect(new Set(told).size).toBe(told.length);
  expect(told.filter((id) => id.startsWith("s")).length).toBe(sessions);
  expect(told.filter((id) => id.startsWith("p")).length).toBe(projects);
  expect(Math.max(0, ...alarms)).toBeLessThan(600);
});

test("an object that stops between pages notifies the others, and only those of its last page twice", async () => {
  captureLog();
  const webhook: Webhook = { type: "report", repository: await addMany(), branches: ["svc/many"], event };
  let isDown = false;
  const first = createWorld(() => isDown);
  await countAlarms(inbox(), {
    ...first.bindings,
    SESSION: {
      getByName: (id: string) => {
        isDown = first.told.length >= 100;
        return isDown ? { handleEvent: () => new Promise(() => {}) } : first.bindings.SESSION.getByName(id);
      },
    },
  });
  await inbox().receive("d", webhook);
  await until(() => first.told.length).toBe(100);
  await abortAllDurableObjects();
  const second = createWorld();
  await countAlarms(inbox(), second.bindings);
  await inbox().wake();
  await until(isOver).toEqual([]);
  expect(new Set([...first.told, ...second.told]).size).toBe(count);
  expect(second.told.length).toBeLessThanOrEqual(count - 50);
});

test("those that did not respond are notified by the next attempt, and only they", async () => {
  captureLog();
  const webhook: Webhook = { type: "report", repository: await addMany(), branches: ["svc/many"], event };
  const silent = new Set<string>();
  const { bindings, told } = createWorld((id) => {
    const isSilent = id.endsWith("7") && !silent.has(id);
    if (isSilent) silent.add(id);
    return isSilent;
  });
  await countAlarms(inbox(), bindings);
  await inbox().receive("d", webhook);
  await until(isOver).toEqual([]);
  expect([told.length, new Set(told).size]).toEqual([count, count]);
  expect(told.slice(-silent.size).sort()).toEqual([...silent].sort());
});
