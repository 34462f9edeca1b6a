// The Worker in the driver tests: the product's container object on a double of the platform, and a
// sandbox object that records probes.
import { DurableObject } from "cloudflare:workers";
import { SandboxContainer } from "../../../durable-objects/sandbox/container.ts";
import type { Env } from "../../../src/env.ts";
import { EgressRoute } from "../../../src/network/egress-route.ts";
import { isContainerWanted } from "../../../src/sandbox/rules/container.ts";
import { absentSandbox, type SandboxLifeState } from "../../../src/sandbox/rules/lifecycle.ts";
import { platformContainer } from "./platform-container.ts";

export class DoubledContainer extends SandboxContainer {
  constructor(ctx: DurableObjectState<object>, env: Env) {
    const container = platformContainer(ctx.id.name ?? "");
    container.changeHands();
    Object.defineProperty(ctx, "container", { value: container });
    super(ctx, env);
  }
}

/** The way out of sandboxes to a service that says what reached it. */
export class SandboxEgress extends EgressRoute {
  protected override async serve(request: Request): Promise<Response> {
    if (request.headers.has("upgrade")) return createEcho();
    const { method, url, headers } = request;
    return Response.json({ method, url, headers: Object.fromEntries(headers), body: await request.text() });
  }
}

/** A WebSocket that sends back what it receives. */
function createEcho(): Response {
  const [webSocket, own] = Object.values(new WebSocketPair());
  own?.accept();
  own?.addEventListener("message", ({ data }) => own.send(data));
  return new Response(null, { status: 101, webSocket: webSocket ?? null });
}

export class NotingSandbox extends DurableObject {
  #state: SandboxLifeState | "out of order" = "running";
  #looks = 0;

  #wanted: number | null = null;

  async isContainerWanted(generation: number | null): Promise<boolean> {
    this.#looks += 1;
    if (this.#state === "out of order") throw new Error("The sandbox object is out of order.");
    // The containers of these tests have no generation, unless a test names one.
    const wanted = { ...absentSandbox, state: this.#state, containerGeneration: this.#wanted ?? 0 };
    return isContainerWanted(wanted, generation ?? 0);
  }

  /** Uses the container of a generation; null: the one of its key only. */
  async keepsContainer(generation: number | null): Promise<void> {
    this.#wanted = generation;
  }

  async status() {
    this.#looks += 1;
    return { state: this.#state, generation: 1, services: null };
  }

  async become(state: SandboxLifeState | "out of order"): Promise<void> {
    this.#state = state;
  }

  async looks(): Promise<number> {
    return this.#looks;
  }
}

export default {
  fetch: () => new Response("objects only", { status: 404 }),
} satisfies ExportedHandler;
