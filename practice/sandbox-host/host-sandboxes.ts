// The sandboxes of a world as processes of the sandbox host.
import type { WorldSandboxes } from "../local-sandboxes.ts";
import { getSandboxProgram } from "../sandbox-program.ts";
import { formatWall } from "./isolation.ts";
import { oneMachineLimits } from "./kept-disks.ts";
import type { ReplacedServers } from "./network/public-connection.ts";
import { startSandboxHost } from "./sandbox-host.ts";
import { getProgramBuild } from "./sandbox-process.ts";

export interface HostSandboxesOptions {
  folder: string;
  /** The service's port. */
  port: number;
  /** Gets the folders of stopped sandboxes, which are otherwise deleted. */
  stoppedFolder?: string | null;
  /** A pause keeps the sandbox's disk for its next wake. */
  keepsDisks?: boolean;
  /** Servers of this machine instead of those of the internet, in tests. */
  replaced?: ReplacedServers;
}

/** Starts the sandbox host. */
export async function startHostSandboxes({
  folder,
  port,
  stoppedFolder = null,
  keepsDisks = false,
  replaced,
}: HostSandboxesOptions): Promise<WorldSandboxes> {
  const programFile = await getSandboxProgram();
  const { url, isolation, close } = await startSandboxHost({
    folder,
    programFile,
    stoppedFolder,
    ...(keepsDisks && { keptLimits: oneMachineLimits }),
    outside: { servicePort: port, ...(replaced && { replaced }) },
  });
  return {
    settings: {
      SANDBOX_HOST_URL: url,
      SANDBOX_TO_SERVICE_URL: `http://127.0.0.1:${port}`,
      SANDBOX_PROGRAM: getProgramBuild(programFile),
      SANDBOX_NETWORKS: isolation.holdsNetworks ? "held" : "",
    },
    hostUrl: url,
    notice: `${isolation.notice}\n${formatWall(isolation.wall)}`,
    close,
  };
}
