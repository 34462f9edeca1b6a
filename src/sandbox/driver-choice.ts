// Which driver runs the sandboxes here: the sandbox host's where one is named, otherwise the containers'.
import { sandboxContainer } from "../../durable-objects/address.ts";
import type { Env } from "../env.ts";
import { containerDriver } from "./container-driver.ts";
import type { SandboxDriver } from "./driver.ts";
import { hostDriver } from "./host-driver.ts";

/** The driver of the sandbox of one key. */
export function sandboxDriver(
  { SANDBOX_HOST_URL, CONTAINER }: Pick<Env, "SANDBOX_HOST_URL" | "CONTAINER">,
  sandboxKey: string,
): SandboxDriver {
  if (SANDBOX_HOST_URL !== "") return hostDriver(SANDBOX_HOST_URL, sandboxKey);
  if (!CONTAINER) throw new Error("Nothing runs sandboxes here: neither SANDBOX_HOST_URL nor CONTAINER is set.");
  return containerDriver(() => sandboxContainer(CONTAINER, sandboxKey));
}
