// The sandboxes of a world as processes of the sandbox host.
import { basename, dirname } from "node:path";
import type { WorldSandboxes } from "../local-sandboxes.ts";
import { openSandboxProgram } from "../sandbox-program.ts";
import { wallNotice } from "./isolation.ts";
import { startSandboxHost } from "./sandbox-host.ts";

/** Starts the sandbox host. `port` is the service's. */
export async function openHostSandboxes({ folder, port }: { folder: string; port: number }): Promise<WorldSandboxes> {
  const programFile = await openSandboxProgram();
  const { url, isolation, close } = await startSandboxHost({ folder, programFile });
  return {
    settings: {
      SANDBOX_HOST_URL: url,
      SANDBOX_TO_SERVICE_URL: `http://127.0.0.1:${port}`,
      SANDBOX_PROGRAM: basename(dirname(programFile)),
    },
    hostUrl: url,
    notice: `${isolation.notice}\n${wallNotice(isolation.wall)}`,
    close,
  };
}
