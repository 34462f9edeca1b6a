// The product's sandbox object where each generation has a container of its own. The scripted host
// simulates the containers, each under the name of its object. Nothing holds one to a network.
import { SandboxObject } from "../../../durable-objects/sandbox/sandbox.ts";
import type { Env } from "../../../src/env.ts";
import { createHostDriver } from "../../../src/sandbox/program/host-driver.ts";

const hostUrl = "http://sandbox-host.test";

function getContainer(name: string) {
  const driver = createHostDriver(hostUrl, name);
  return {
    startProgram: driver.start,
    endProgram: driver.stop,
    isRunning: driver.isRunning,
    findNetwork: driver.findNetwork,
    fetch(request: Request) {
      const { pathname, search } = new URL(request.url);
      return fetch(new Request(`${hostUrl}/sandboxes/${name}/program${pathname}${search}`, request));
    },
  };
}

export class ContainedSandbox extends SandboxObject {
  constructor(ctx: DurableObjectState, env: Env) {
    const containers = { idFromName: (name: string) => name, get: getContainer };
    const CONTAINER = containers as unknown as NonNullable<Env["CONTAINER"]>;
    super(ctx, { ...env, CONTAINER, SANDBOX_NETWORKS: "" });
  }
}
