// The Worker in the driver tests: the product's container object on a double of the platform, and a sandbox object that records probes.
import { DurableObject } from "cloudflare:workers";
import { SandboxContainer } from "../../../durable-objects/sandbox/container.ts";
import type { Env } from "../../../src/env.ts";
import type { SandboxLifeState } from "../../../src/rules/sandbox/sandbox.ts";
import { platformContainer } from "./platform-container.ts";

export { ContainerProxy } from "@cloudflare/containers";

export class DoubledContainer extends SandboxContainer {
  constructor(ctx: DurableObjectState<object>, env: Env) {
    const container = platformContainer(ctx.id.name ?? "");
    container.changeHands();
    Object.defineProperty(ctx, "container", { value: container });
    super(ctx, env);
  }
}

export class NotingSandbox extends DurableObject {
  #state: SandboxLifeState = "running";
  #looks = 0;

  async status() {
    this.#looks += 1;
    return { state: this.#state, generation: 1, services: null };
  }

  async become(state: SandboxLifeState): Promise<void> {
    this.#state = state;
  }

  async looks(): Promise<number> {
    return this.#looks;
  }
}

export default {
  fetch: () => new Response("objects only", { status: 404 }),
} satisfies ExportedHandler;
