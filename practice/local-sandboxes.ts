// What runs the sandboxes of a one-machine world: the sandbox host, or a container engine.
import type { Env } from "../src/env.ts";
import type { ContainerOptions } from "./worker-runtime.ts";

export interface WorldSandboxes {
  settings: Pick<Env, "SANDBOX_HOST_URL" | "SANDBOX_TO_SERVICE_URL" | "SANDBOX_PROGRAM" | "SANDBOX_NETWORKS">;
  /** The address of the sandbox host; empty if there is none. */
  hostUrl: string;
  /** The engine, if sandboxes are containers. */
  containers?: ContainerOptions;
  /** How sandboxes are isolated, and what an agent reaches inside one, one line each. */
  notice: string;
  /**
   * Ends every sandbox. Called once the Worker has ended. What the work of the `unsaved` ones is in
   * stays for the next start: the disks of these, or all containers.
   */
  close(unsaved?: readonly string[]): Promise<void>;
}
