// The ways out of a sandbox without a network: Unix sockets in a folder that is read-only inside
// it. One leads to the service, the other one to the filter. The program in the sandbox makes them
// ports.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { NetworkInForce, SeenHost } from "../../../src/network/rules/network.ts";
import { startWayOut } from "../../way-out.ts";
import { createNetworkFilter } from "./filter.ts";
import type { ReplacedServers } from "./public-connection.ts";

export interface SandboxNetwork {
  /** The folder of the sockets. */
  folder: string;
  /** The settings of the program: which port inside leads to which socket. */
  waysOut: Record<number, string>;
  /** Variables for commands, which name the proxy. */
  variables: Record<string, string>;
  seen(): SeenHost[];
  close(): Promise<void>;
}

/** The folder of the sockets inside the sandbox. */
export const socketFolder = "/run/switchyard";

const serviceSocket = "service";
const filterSocket = "filter";
const proxyPort = 3128;

/** Opens the ways out of a sandbox. The service listens on `servicePort` of this machine. */
export async function createSandboxNetwork(
  network: NetworkInForce,
  servicePort: number,
  replaced: ReplacedServers,
): Promise<SandboxNetwork> {
  // Not in the sandbox's folder, because the path of a socket has at most 107 bytes.
  const folder = await mkdtemp(join(tmpdir(), "sy-"));
  const filter = createNetworkFilter(network, replaced);
  const [wayOut] = await Promise.all([
    startWayOut("127.0.0.1", servicePort, { path: join(folder, serviceSocket) }),
    filter.listen(join(folder, filterSocket)),
  ]);
  return {
    folder,
    waysOut: {
      [servicePort]: join(socketFolder, serviceSocket),
      [proxyPort]: join(socketFolder, filterSocket),
    },
    // In a closed network, too: otherwise a program would try to resolve a name for a minute.
    variables: proxyVariables,
    seen: filter.seen,
    async close() {
      await Promise.all([wayOut.close(), filter.close()]);
      await rm(folder, { recursive: true, force: true });
    },
  };
}

const proxy = `http://127.0.0.1:${proxyPort}`;
const direct = "localhost,127.0.0.1,::1";

/** Curl reads the name for http only in lower case, and some programs only upper case. */
const proxyVariables = {
  ...{ HTTP_PROXY: proxy, HTTPS_PROXY: proxy, NO_PROXY: direct },
  ...{ http_proxy: proxy, https_proxy: proxy, no_proxy: direct },
  // Newer versions of Node then use the proxy for `fetch` too.
  NODE_USE_ENV_PROXY: "1",
};
