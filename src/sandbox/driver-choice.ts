// Chooses the driver of sandboxes: the sandbox host's if its URL is set, otherwise the containers'.
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
  if (SANDBOX_HOST_URL !== "") return hostDriver(SANDBOX_HOST_URL, sandboxKey);
  if (!CONTAINER) throw new Error("Nothing runs sandboxes here: neither SANDBOX_HOST_URL nor CONTAINER is set.");
  return containerDriver(() => sandboxContainer(CONTAINER, sandboxKey));
}
