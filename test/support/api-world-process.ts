// A world of the API tests, in a separate process. A small process spawns its children, above all
// git, in a tenth of the time that the test runner's process takes. It prints its address, and ends
// when its standard input closes.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { claimFreePort } from "../../practice/free-port.ts";
import { startWorld, type World } from "../../practice/local-service.ts";
import { issueAgentToken } from "../../src/key/queries/keys.ts";
import { createId } from "../../src/lib/ids.ts";
import { longestTurnMs } from "../../src/rules/limits.ts";
import { copyProject } from "./copied-project.ts";
import type { WorldAddress } from "./world-address.ts";
import { openInside } from "./world-inside.ts";

const { address, close } = await startApiWorld();
process.stdout.write(`${JSON.stringify(address)}\n`);
process.stdin.resume().once("end", async () => {
  await close();
  process.exit(0);
});

async function startApiWorld(): Promise<{ address: WorldAddress; close(): Promise<void> }> {
  const stateDir = await mkdtemp(join(tmpdir(), "switchyard-api-"));
  const world = await startWorld({
    port: await claimFreePort(),
    stateDir,
    rateLimits: "off",
    webhooksToLoopback: true,
    // The tests of a file share their sandboxes, and a busy machine takes long between two calls.
    idleMinutes: 10,
  });
  const { baseUrl, workspaceId, projectId, forgeUrl, signInUrl, openUrl, providerUrl, sandboxHostUrl, pushUrl, users } =
    world;
  const inside = await openInside(world);
  const run = (sql: string, ...values: unknown[]) =>
    world.database
      .prepare(sql)
      .bind(...values)
      .run();
  const previewProjectId = await copyProject(run, { projectId, userId: users.owner.id });
  const siblingProjectId = await copyProject(run, { projectId, userId: users.owner.id });
  const outsideProjectId = await copyProject(run, { projectId, userId: users.outsider.id });
  await run("UPDATE projects SET settings = json_set(settings, '$.services', json('[]')) WHERE id = ?1", projectId);
  // A session that started in a spare would have another key and generation than the tests know.
  await run("UPDATE projects SET settings = json_set(settings, '$.warmPool', json('false'))");
  const agents = await sessionOfAgents(world);
  const address = {
    baseUrl,
    workspaceId,
    projectId,
    previewProjectId,
    siblingProjectId,
    outsideProjectId,
    forgeUrl,
    signInUrl,
    openUrl,
    providerUrl,
    pushUrl,
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

/** Creates the session of the agent tokens. */
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
  const ids = { sessionId, turnId: createId() };
  return issueAgentToken(database, { workspaceId, ...ids, userId, expiresAt: now + longestTurnMs }, now);
}
