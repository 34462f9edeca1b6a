// Ends the sandboxes that a test file has left running, as a machine that fails would: the workspace's plan allows only so many at once,
// and the next file wants some too.
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
    // Looking at it is how the service comes to know; a turn that was about to start may have it started once more.
    await until(`the service to notice that ${sandboxKey} is gone`, async () => {
      await fetch(`${world.sandboxHostUrl}/sandboxes/${sandboxKey}`, { method: "DELETE" });
      return (await owner.get(health)).body.data.needsStart;
    });
  }
  createdSessions.clear();
});
