// A code host that accepts a push and never responds: the user gets an error in time, and no commit
// is lost.
import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { apiWorld } from "../support/api-world.ts";
import { createClient, script } from "../support/client.ts";
import { git } from "../support/git.ts";
import { until } from "../support/until.ts";
import { readSecrets } from "../support/world-secrets.ts";

const world = apiWorld();
const owner = createClient(world);
const { codeHostToken } = readSecrets(world);
/** Longer than the service waits for a silent code host. */
let session: string;
let branch: string;
let repository: string;

async function makeSilent(isSilent: boolean): Promise<void> {
  const headers = { authorization: `Bearer ${codeHostToken}` };
  const url = `${world.forgeUrl}/practice/silence/${repository}`;
  expect((await fetch(url, { method: isSilent ? "PUT" : "DELETE", headers })).status).toBe(200);
}

beforeAll(async () => {
  const created = await owner.createSession({ title: "Silent code host", content: script({ say: "Ready." }) });
  session = created.path;
  await owner.jobUntil(session, created.jobId);
  branch = (await owner.get(session)).body.data.session.branch;
  repository = (await owner.get(`/api/projects/${world.projectId}`)).body.data.repository;
});
afterAll(() => makeSilent(false));

const push = () => owner.post(`${session}/preview/git/push`);
const published = async () =>
  (await git(world.stateDir, ["ls-remote", `${world.stateDir}/forge/repositories/${repository}.git`, branch])).stdout;

describe("a push that is never answered", () => {
  let sha: string;

  test("times out with a message, for the user and the agent, and keeps the commit", async () => {
    await owner.put(`${session}/preview/files/content`, {
      path: "README.md",
      content: "# Kept\n",
      clientId: randomUUID(),
    });
    sha = (await owner.post(`${session}/preview/git/commit`, { message: "Kept" })).body.data.sha;
    await makeSilent(true);
    const content = script({ bash: "git push origin HEAD" }, { say: "Tried." });
    const others = await owner.createSession({ title: "Beside it", content });
    const pushed = await push();
    expect([pushed.status, pushed.body.code]).toEqual([503, "SERVICE_UNAVAILABLE"]);
    expect(pushed.body.error).toContain("The code host does not answer");
    expect(JSON.stringify(pushed.body)).not.toContain("/internal/");
    expect((await owner.jobUntil(others.path, others.jobId)).status).toBe("completed");
    const [block] = await owner.listBlocks(others.path, others.jobId);
    expect(block?.output).toMatch(/504|RPC failed|hung up/);
    expect(await published()).toBe("");
  });

  test("succeeds once the code host responds again, after the sandbox has paused and woken", async () => {
    const sessionIds = [session.split("/").at(-1)];
    await owner.post(`/api/organizations/${world.workspaceId}/stop-sandboxes`, { sessionIds });
    await until(
      "the sandbox to rest",
      async () => !(await owner.get(`${session}/preview/git-state`)).body.data.available,
    );
    await makeSilent(false);
    expect((await push()).body).toEqual({ data: { ok: true } });
    expect(await published()).toContain(sha);
  });
});
