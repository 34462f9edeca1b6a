// Chooses the driver of sandboxes: the containers' where there are some, otherwise the sandbox host's.
import { sandboxContainer } from "../../durable-objects/address.ts";
import type { Env } from "../env.ts";
import { containerDriver } from "./container-driver.ts";
import type { SandboxDriver } from "./driver.ts";
import { hostDriver } from "./host-driver.ts";

/** Returns the driver of one sandbox. */
export function sandboxDriver(
  { SANDBOX_HOST_URL, CONTAINER }: Pick<Env, "SANDBOX_HOST_URL" | "CONTAINER">,
  sandboxKey: string,
): SandboxDriver {
  if (CONTAINER) return containerDriver(() => sandboxContainer(CONTAINER, sandboxKey));
  if (SANDBOX_HOST_URL !== "") return hostDriver(SANDBOX_HOST_URL, sandboxKey);
  throw new Error("Nothing runs sandboxes here: neither SANDBOX_HOST_URL nor CONTAINER is set.");
}
