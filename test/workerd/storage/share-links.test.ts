// The public link of a main preview while a promotion makes another sandbox the live one.
import { env } from "cloudflare:workers";
import { beforeEach, expect, test } from "vitest";
import { promoteSandbox } from "../../../src/deploy/queries.ts";
import { createShareLink, findShareLink, revokeShareLink } from "../../../src/preview/queries/share-links.ts";

const settings = { setup: [], services: [], env: {} };
let projectId: string;

/** A key of this test's project. */
const toKey = (name: string) => `${name}-${projectId}`;

beforeEach(async () => {
  projectId = crypto.randomUUID();
  await env.DB.prepare(
    `INSERT INTO projects (id, workspace_id, name, repository, target_branch, deploy_status, settings, main_sandbox_key, created_at, updated_at)
     VALUES (?1, 'ws', 'P', 'acme/app', 'main', 'deployed', ?2, ?3, 0, 0)`,
  )
    .bind(projectId, JSON.stringify(settings), toKey("live"))
    .run();
});

const create = (slug: string, sandboxKey: string) =>
  createShareLink(env.DB, {
    ...{ slug: toKey(slug), projectId, sessionId: null, sandboxKey: toKey(sandboxKey) },
    ...{ createdBy: null, createdAt: 0, lastViewedAt: null },
  });

const promote = (sandboxKey: string) =>
  promoteSandbox(env.DB, {
    ...{ projectId, sandboxKey: toKey(sandboxKey), read: JSON.stringify(settings), settings },
    ...{ settingsKey: "k1", now: 1 },
  });

async function listLinks(): Promise<unknown[]> {
  const links = env.DB.prepare("SELECT slug, sandbox_key AS sandboxKey FROM share_links WHERE project_id = ?1");
  return (await links.bind(projectId).all()).results;
}

test("a link that is made for a sandbox that was live until now is of the live one", async () => {
  const made = await create("first", "before");
  expect(made).toEqual(await findShareLink(env.DB, toKey("live")));
  expect(await promote("next")).toBe(true);
  expect(await create("second", "live")).toMatchObject({ slug: toKey("first"), sandboxKey: toKey("next") });
  expect(await listLinks()).toHaveLength(1);
});

test("a link of an earlier sandbox keeps no promotion from moving the main preview's link", async () => {
  await create("first", "live");
  await env.DB.prepare("INSERT INTO share_links (slug, project_id, sandbox_key, created_at) VALUES (?1, ?2, ?1, 0)")
    .bind(toKey("earlier"), projectId)
    .run();
  expect(await promote("next")).toBe(true);
  expect(await listLinks()).toEqual([{ slug: toKey("first"), sandboxKey: toKey("next") }]);
  expect(await promote("next")).toBe(true);
  expect(await listLinks()).toHaveLength(1);
});

test("a main preview's link that is revoked during a promotion is gone, and a session's link is not", async () => {
  await create("first", "live");
  await env.DB.prepare(
    "INSERT INTO share_links (slug, project_id, session_id, sandbox_key, created_at) VALUES (?1, ?2, ?1, ?1, 0)",
  )
    .bind(toKey("session"), projectId)
    .run();
  // The route has read the project before.
  expect(await promote("next")).toBe(true);
  expect(await revokeShareLink(env.DB, { projectId, sessionId: null })).toBe(true);
  expect(await listLinks()).toEqual([{ slug: toKey("session"), sandboxKey: toKey("session") }]);
  expect(await revokeShareLink(env.DB, { projectId, sessionId: toKey("session") })).toBe(true);
  expect(await revokeShareLink(env.DB, { projectId, sessionId: toKey("session") })).toBe(false);
  expect(await listLinks()).toEqual([]);
});
