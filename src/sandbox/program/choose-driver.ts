// Chooses the driver of sandboxes: containers if the platform has them, otherwise the sandbox host.
import { getSandboxContainer } from "../../../durable-objects/sandbox/address.ts";
import type { Env } from "../../env.ts";
import { createContainerDriver } from "./container-driver.ts";
import type { SandboxDriver } from "./driver.ts";
import { createHostDriver } from "./host-driver.ts";

type Platforms = Pick<Env, "SANDBOX_HOST_URL" | "CONTAINER" | "JURISDICTION">;

/**
 * Returns the driver of one sandbox. `generation` returns the generation of its container, at each
 * call.
 */
export function getSandboxDriver(
  { SANDBOX_HOST_URL, CONTAINER, JURISDICTION }: Platforms,
  sandboxKey: string,
  generation: () => number | null = () => null,
): SandboxDriver {
  if (CONTAINER) {
    const env = { CONTAINER, JURISDICTION };
    return createContainerDriver(() => getSandboxContainer(env, { sandboxKey, generation: generation() }));
  }
  if (SANDBOX_HOST_URL !== "") return createHostDriver(SANDBOX_HOST_URL, sandboxKey);
  throw new Error("Nothing runs sandboxes here: neither SANDBOX_HOST_URL nor CONTAINER is set.");
}

/**
 * True if each generation of a sandbox has its own container. A sandbox host runs one process per
 * key.
 */
export function hasContainers({ CONTAINER }: Pick<Platforms, "CONTAINER">): boolean {
  return CONTAINER !== undefined;
}
