// Kills the sandboxes that a test file has left running, because the workspace's plan limits them and the next file needs some too.
import { afterAll } from "vitest";
import { apiWorld } from "./api-world.ts";
import { clientOf, createdSessions } from "./client.ts";
import { until } from "./until.ts";

afterAll(async () => {
  const world = apiWorld();
  const owner = clientOf(world);
  for (const id of createdSessions) {
    const health = `/api/projects/${world.projectId}/preview/health?sessionId=${id}`;
    const { status, body } = await owner.get(health);
    if (status !== 200 || !body.data.sandboxAvailable) continue;
    const [sandboxKey] = body.data.sandboxId.split("-");
    // A probe makes the service notice the loss. A turn that was about to start may start the sandbox again.
    await until(`the service to notice that ${sandboxKey} is gone`, async () => {
      await fetch(`${world.sandboxHostUrl}/sandboxes/${sandboxKey}`, { method: "DELETE" });
      return (await owner.get(health)).body.data.needsStart;
    });
  }
  createdSessions.clear();
});
