// Chooses the driver of sandboxes: the containers' where there are some, otherwise the sandbox
// host's.
import { sandboxContainer } from "../../../durable-objects/address.ts";
import type { Env } from "../../env.ts";
import { containerDriver } from "./container-driver.ts";
import type { SandboxDriver } from "./driver.ts";
import { hostDriver } from "./host-driver.ts";

type Platforms = Pick<Env, "SANDBOX_HOST_URL" | "CONTAINER">;

/** Returns the driver of one sandbox. `generation` tells that of its container, at each call. */
export function sandboxDriver(
  { SANDBOX_HOST_URL, CONTAINER }: Platforms,
  sandboxKey: string,
  generation: () => number | null = () => null,
): SandboxDriver {
  if (CONTAINER) return containerDriver(() => sandboxContainer(CONTAINER, { sandboxKey, generation: generation() }));
  if (SANDBOX_HOST_URL !== "") return hostDriver(SANDBOX_HOST_URL, sandboxKey);
  throw new Error("Nothing runs sandboxes here: neither SANDBOX_HOST_URL nor CONTAINER is set.");
}

/**
 * True where each generation of a sandbox has a container of its own. A sandbox host runs one
 * process for each key.
 */
export function hasContainers({ CONTAINER }: Pick<Platforms, "CONTAINER">): boolean {
  return CONTAINER !== undefined;
}
