// The Worker in the driver's tests on a real engine: the product's container object as it is, and a
// sandbox object whose sandbox always runs.
import { DurableObject } from "cloudflare:workers";
import { SandboxContainer } from "../../../durable-objects/sandbox/container.ts";
import { EgressRoute } from "../../../src/network/egress-route.ts";

export class RealContainer extends SandboxContainer {
  async lose(): Promise<void> {
    this.ctx.container?.signal(9);
  }
}

/** The way out of sandboxes. These tests reach no service through it. */
export class SandboxEgress extends EgressRoute {
  protected override serve(): Response {
    return new Response(null, { status: 404 });
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
