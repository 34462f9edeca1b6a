// The running worlds of the API tests, one for each file that runs at a time.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestProject } from "vitest/node";
import { freePort } from "../../dev/free-port.ts";
import { startWorld, type World } from "../../dev/world.ts";
import { newId } from "../../src/ids.ts";
import { longestTurnMs } from "../../src/rules/limits.ts";
import { issueAgentToken } from "../../src/storage/queries/keys.ts";
import { copyProject } from "./copied-project.ts";
import { openInside } from "./world-inside.ts";

export interface WorldAddress {
  baseUrl: string;
  workspaceId: string;
  projectId: string;
  /** Another project of the same workspace. */
  siblingProjectId: string;
  /** A project of the workspace whose only member is the outsider. */
  outsideProjectId: string;
  forgeUrl: string;
  providerUrl: string;
  sandboxHostUrl: string;
  stateDir: string;
  /** The address of the world's database and object storage; see `world-inside.ts`. */
  insideUrl: string;
  users: Record<"owner" | "admin" | "member" | "outsider", { id: string; apiKey: string }>;
  /** Agent tokens of the workspace, of a session in its Backlog: one that acts as the owner, and one that acts as nobody. */
  agentTokens: { ofOwner: string; ofNobody: string };
}

declare module "vitest" {
  interface ProvidedContext {
    worlds: WorldAddress[];
  }
}

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const worlds = await Promise.all(Array.from({ length: project.config.maxWorkers }, startApiWorld));
  project.provide(
    "worlds",
    worlds.map(({ address }) => address),
  );
  return async () => {
    await Promise.all(worlds.map(({ close }) => close()));
  };
}

async function startApiWorld(): Promise<{ address: WorldAddress; close(): Promise<void> }> {
  const stateDir = await mkdtemp(join(tmpdir(), "switchyard-api-"));
  const world = await startWorld({ port: await freePort(), stateDir, rateLimits: "off" });
  const { baseUrl, workspaceId, projectId, forgeUrl, providerUrl, sandboxHostUrl, users } = world;
  const inside = await openInside(world);
  const run = (sql: string, ...values: unknown[]) =>
    world.database
      .prepare(sql)
      .bind(...values)
      .run();
  const siblingProjectId = await copyProject(run, { projectId, userId: users.owner.id });
  const outsideProjectId = await copyProject(run, { projectId, userId: users.outsider.id });
  const agents = await sessionOfAgents(world);
  const address = {
    baseUrl,
    workspaceId,
    projectId,
    siblingProjectId,
    outsideProjectId,
    forgeUrl,
    providerUrl,
    sandboxHostUrl,
    stateDir,
    insideUrl: inside.url,
    users,
    agentTokens: {
      ofOwner: await agentToken(world, agents, users.owner.id),
      ofNobody: await agentToken(world, agents, null),
    },
  };
  return {
    address,
    async close() {
      await inside.close();
      await world.close();
      await rm(stateDir, { recursive: true, force: true });
    },
  };
}

/** Makes the session that the agents' tokens belong to. */
async function sessionOfAgents({ baseUrl, projectId, users }: World): Promise<string> {
  const answer = await fetch(`${baseUrl}/api/projects/${projectId}/chat-sessions`, {
    method: "POST",
    headers: { authorization: `Bearer ${users.owner.apiKey}`, "content-type": "application/json" },
    body: JSON.stringify({ title: "Of agents", status: "backlog" }),
  });
  const { data } = (await answer.json()) as { data: { session: { id: string } } };
  return data.session.id;
}

function agentToken({ database, workspaceId }: World, sessionId: string, userId: string | null): Promise<string> {
  const now = Date.now();
  const ids = { sessionId, turnId: newId() };
  return issueAgentToken(database, { workspaceId, ...ids, userId, expiresAt: now + longestTurnMs }, now);
}
