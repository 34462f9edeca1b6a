// The Worker in the driver's tests on a real engine: the product's container object as it is, and a
// sandbox object whose sandbox always runs.
import { DurableObject } from "cloudflare:workers";
import { SandboxContainer } from "../../../durable-objects/sandbox/container.ts";

export class RealContainer extends SandboxContainer {
  async lose(): Promise<void> {
    this.ctx.container?.signal(9);
  }
}

export class QuietSandbox extends DurableObject {
  async status() {
    return { state: "running", generation: 1, services: null };
  }
}

export default {
  fetch: () => new Response("objects only", { status: 404 }),
} satisfies ExportedHandler;
