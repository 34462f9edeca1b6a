// Ends the sandboxes that a test file has left running, as a machine that fails would: the workspace's plan allows only so many at once,
// and the next file wants some too.
import { afterAll, inject } from "vitest";
import { clientOf, createdSessions } from "./client.ts";

afterAll(async () => {
  const world = inject("world");
  const owner = clientOf(world);
  for (const id of createdSessions) {
    const health = `/api/projects/${world.projectId}/preview/health?sessionId=${id}`;
    const { status, body } = await owner.get(health);
    if (status !== 200 || !body.data.sandboxAvailable) continue;
    const [sandboxKey] = body.data.sandboxId.split("-");
    await fetch(`${world.sandboxHostUrl}/sandboxes/${sandboxKey}`, { method: "DELETE" });
    // Looking at it is how the service comes to know.
    const { needsStart } = (await owner.get(health)).body.data;
    if (!needsStart) throw new Error(`the sandbox ${sandboxKey} is gone and the service has not noticed`);
  }
});
