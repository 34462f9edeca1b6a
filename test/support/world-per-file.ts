// Opens the world before a test file. After it, kills the sandboxes that the file has left running,
// because the workspace's plan limits them and the next file needs some too.
import { afterAll } from "vitest";
import { apiWorld, openApiWorld } from "./api-world.ts";
import { createClient, createdSessions } from "./client.ts";
import { until } from "./until.ts";
import { createInside } from "./world-inside.ts";

await openApiWorld();

afterAll(async () => {
  const world = apiWorld();
  const owner = createClient(world);
  // A browser, a cron or a trigger starts sessions, too.
  const held = await createInside(world).sql(
    "SELECT s.id, s.project_id AS projectId FROM sandbox_slots h JOIN sessions s ON s.id = h.owner_id WHERE h.owner_type = 'session'",
  );
  const left = new Map([...createdSessions, ...held.map((row) => [String(row.id), String(row.projectId)] as const)]);
  for (const [id, projectId] of left) {
    const health = `/api/projects/${projectId}/preview/health?sessionId=${id}`;
    const { status, body } = await owner.get(health);
    if (status !== 200 || !body.data.sandboxAvailable) continue;
    const [sandboxKey] = body.data.sandboxId.split("-");
    // A probe makes the service detect the loss. A turn that was about to start may start the
    // sandbox again.
    await until(`the service to notice that ${sandboxKey} is gone`, async () => {
      await fetch(`${world.sandboxHostUrl}/sandboxes/${sandboxKey}`, { method: "DELETE" });
      return (await owner.get(health)).body.data.needsStart;
    });
  }
  createdSessions.clear();
});
