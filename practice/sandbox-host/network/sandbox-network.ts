// The ways out of a sandbox without the machine's network: Unix sockets in a folder that is
// read-only inside it. One leads to the service. The other one leads to the filter, which an open
// network does not have. The program in the sandbox makes them ports.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { nothingHolds } from "../../../src/network/rules/decide.ts";
import type { NetworkInForce, SeenHost } from "../../../src/network/rules/network.ts";
import { startWayOut } from "../../way-out.ts";
import { type CommandNetwork, type Isolation, socketFolder } from "../isolation.ts";
import { createNetworkFilter } from "./filter.ts";
import type { ReplacedServers } from "./public-connection.ts";

export interface SandboxNetwork extends Pick<CommandNetwork, "folder" | "open"> {
  /** The settings of the program: which port inside leads to which socket. */
  waysOut: Record<number, string>;
  /** Variables for commands, which name the proxy. */
  variables: Record<string, string>;
  seen(): SeenHost[];
  close(): Promise<void>;
}

const serviceSocket = "service";
const filterSocket = "filter";
const proxyPort = 3128;

/**
 * Opens the ways out of a sandbox. The service listens on `servicePort` of this machine. Null for
 * an open network that is the machine's. Throws if nothing enforces the network, or pasta fails.
 */
export async function createSandboxNetwork(
  network: NetworkInForce,
  { holdsNetworks, openNetwork }: Pick<Isolation, "holdsNetworks" | "openNetwork">,
  servicePort: number,
  replaced: ReplacedServers,
): Promise<SandboxNetwork | null> {
  if (network.mode === "open" && openNetwork === null) return null;
  if (network.mode !== "open" && !holdsNetworks) throw new Error(nothingHolds);
  // Not in the sandbox's folder, because the path of a socket has at most 107 bytes.
  const folder = await mkdtemp(join(tmpdir(), "sy-"));
  const wayOut = await startWayOut("127.0.0.1", servicePort, { path: join(folder, serviceSocket) });
  async function close(): Promise<void> {
    await wayOut.close();
    await rm(folder, { recursive: true, force: true });
  }
  const serviceWay = { [servicePort]: join(socketFolder, serviceSocket) };
  try {
    if (network.mode === "open") {
      const open = await openNetwork?.(folder);
      const closeBoth = async () => void (await Promise.all([open?.close(), close()]));
      return { folder, ...(open && { open }), waysOut: serviceWay, variables: {}, seen: () => [], close: closeBoth };
    }
    const filter = createNetworkFilter(network, replaced);
    await filter.listen(join(folder, filterSocket));
    return {
      folder,
      waysOut: { ...serviceWay, [proxyPort]: join(socketFolder, filterSocket) },
      // In a closed network, too: otherwise a program would try to resolve a name for a minute.
      variables: proxyVariables,
      seen: filter.seen,
      close: async () => void (await Promise.all([filter.close(), close()])),
    };
  } catch (error) {
    await close();
    throw error;
  }
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
