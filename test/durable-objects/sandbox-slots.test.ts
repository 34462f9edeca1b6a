// Sandbox slots: the workspace's limit is one conditional statement, so that no burst passes it.
import { env } from "cloudflare:workers";
import { beforeEach, expect, test } from "vitest";
import { claimSlot, releaseSlot } from "../../src/storage/queries/sandbox-slots.ts";

const owner = (workspaceId: string) => ({
  workspaceId,
  projectId: "project",
  sessionId: "session",
  branch: "branch",
  baseBranch: "main",
});

let workspaceId: string;
beforeEach(async () => {
  workspaceId = `ws_${crypto.randomUUID()}`;
  await env.DB.prepare(
    "INSERT INTO workspaces (id, name, slug, timezone, plan, created_at) VALUES (?1, 'A', ?1, 'UTC', 'team', 0)",
  )
    .bind(workspaceId)
    .run();
});

const claim = (key: string, of = workspaceId) => claimSlot(env.DB, key, owner(of), 1);
const claimMany = (count: number) =>
  Promise.all(Array.from({ length: count }, (_, place) => claim(`${workspaceId}-${place}`)));

test("of fifty claims at once the plan's twenty are granted", async () => {
  const granted = await claimMany(50);
  expect(granted.filter(Boolean)).toHaveLength(20);
});

test("who holds a slot may claim it again, also at the limit", async () => {
  await claimMany(20);
  expect(await claim(`${workspaceId}-0`)).toBe(true);
  expect(await claim("one more")).toBe(false);
});

test("a slot that is given back can be had, once", async () => {
  await claimMany(20);
  await releaseSlot(env.DB, `${workspaceId}-7`);
  await releaseSlot(env.DB, `${workspaceId}-7`);
  const granted = await Promise.all(Array.from({ length: 5 }, (_, place) => claim(`late-${place}`)));
  expect(granted.filter(Boolean)).toHaveLength(1);
});

test("the slots of one workspace are not those of another", async () => {
  await claimMany(20);
  await env.DB.prepare(
    "INSERT INTO workspaces (id, name, slug, timezone, plan, created_at) VALUES (?1, 'B', ?1, 'UTC', 'free', 0)",
  )
    .bind(`${workspaceId}-other`)
    .run();
  expect(await claim("elsewhere", `${workspaceId}-other`)).toBe(true);
});
