// Deletes a project with a running turn, a live preview and a share link: every path of it returns
// 404 immediately. After the response the turn stops, the processes end and storage is emptied.
import { expect, test } from "vitest";
import { authTokenCookie } from "../../src/preview/host/address.ts";
import { previewWorld } from "../support/api-world.ts";
import { createClient, script } from "../support/client.ts";
import { copyProject } from "../support/copied-project.ts";
import { openPreview } from "../support/probed-preview.ts";
import { isAlive, listProcesses } from "../support/process-tree.ts";
import { until } from "../support/until.ts";
import { createInside } from "../support/world-inside.ts";

const world = previewWorld();
const inside = createInside(world);

test("a deleted project is not found from the next request on, and nothing is left of it", async () => {
  const projectId = await copyProject(inside.sql, { projectId: world.projectId, userId: world.users.owner.id });
  const of = { ...world, projectId };
  const [owner, outsider] = [createClient(of), createClient(of, "outsider")];
  const project = `/api/projects/${projectId}`;
  const steps = [
    { artifact: { slug: "plan", title: "Plan", kind: "markdown", content: "# Plan" } },
    { bash: "echo begun && sleep 300" },
  ];
  const session = await owner.createSession({ title: "Deleted", content: script(...steps) });
  await until("the turn to work", async () =>
    JSON.stringify(await owner.listBlocks(session.path, session.jobId)).includes("sleep 300"),
  );
  const preview = await openPreview(of, session.id);
  const cookie = `${authTokenCookie}=${preview.token}`;
  expect((await preview.get("/health", { cookie })).status).toBe(200);
  const { share } = (await owner.post(`${project}/preview/share`, { sessionId: session.id })).body.data;
  const { artifacts } = (await owner.get(`${session.path}/artifacts`)).body.data;
  const variants = [{ name: "A", title: "A", kind: "markdown", body: "# A" }];
  const prototype = await owner.post(`${project}/prototypes`, { title: "Y", variants });
  const running = listProcesses(`${world.stateDir}/sandboxes/${preview.sandboxKey}`);
  expect(running.length).toBeGreaterThan(0);

  expect(await outsider.delete(project)).toMatchObject({ status: 403 });
  expect(await owner.delete(project)).toMatchObject({ status: 204, body: null });
  for (const path of [
    project,
    `${project}/settings`,
    `${project}/chat-sessions`,
    `${project}/preview`,
    `${project}/preview/share?sessionId=${session.id}`,
    `${project}/prototypes/${prototype.body.data.id}`,
    session.path,
    `${session.path}/messages`,
    `${session.path}/jobs/chat/${session.jobId}`,
    `${session.path}/artifacts/${artifacts[0].id}`,
    `/api/streams/${session.jobId}`,
    `/api/shared-previews/${share.slug}`,
    `/api/shared-previews/${share.slug}/artifacts/${artifacts[0].id}`,
  ])
    expect({ path, status: (await owner.get(path)).status }).toEqual({ path, status: 404 });
  expect(await outsider.get(project)).toMatchObject({ status: 404 });
  expect(await owner.delete(project)).toMatchObject({ status: 404 });
  for (const path of ["/api/projects?pageSize=100", "/api/chat-sessions?pageSize=100"])
    expect(JSON.stringify((await owner.get(path)).body)).not.toContain(projectId);
  const limit = await owner.get(`/api/organizations/${world.workspaceId}/sandbox-limit`);
  expect(JSON.stringify(limit.body)).not.toContain(session.id);

  await until("the processes to end", () => !running.some(isAlive));
  expect((await preview.get("/health", { cookie })).status).toBe(404);
  const ofProject = ["sessions", "share_links", "prototypes"].map(
    (table) => `SELECT 1 FROM ${table} WHERE project_id = ?1`,
  );
  await until("its rows to go", async () => (await inside.sql(ofProject.join(" UNION ALL "), projectId)).length === 0);
  await until("its objects to go", async () => {
    const keys = await inside.storedKeys("");
    return !keys.some((key) =>
      [projectId, session.id, preview.sandboxKey, prototype.body.data.id].some((id) => key.includes(id)),
    );
  });
  expect(await inside.sql("SELECT 1 FROM sandbox_slots WHERE owner_id = ?1", session.id)).toEqual([]);
});
