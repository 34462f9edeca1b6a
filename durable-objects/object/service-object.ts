// The base of all objects that are called by their address.
import { DurableObject } from "cloudflare:workers";
import type { Env } from "../../src/env.ts";
import { acceptCarriedRequestIds } from "../../src/lib/carried-request-id.ts";

export abstract class ServiceObject<Bindings = Env> extends DurableObject<Bindings> {
  constructor(ctx: DurableObjectState, env: Bindings) {
    super(ctx, env);
    acceptCarriedRequestIds(new.target.prototype, DurableObject.prototype);
  }
}
