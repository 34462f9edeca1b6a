// The network of one world's containers. Each container reaches the internet, and this machine at
// the network's gateway, but no other container.
import { createHash } from "node:crypto";
import { resolve } from "node:path";
import { type Engine, isOwnAddress } from "./engine.ts";

export interface Network {
  name: string;
  /** Such as `172.18.0.0/16`. */
  subnet: string;
  /** The address of this machine in the network. */
  gateway: string;
}

const options: Record<string, string> = {
  // No container reaches another.
  "com.docker.network.bridge.enable_icc": "false",
  // Publishes container ports on loopback. At the gateway, every container would reach them.
  "com.docker.network.bridge.host_binding_ipv4": "127.0.0.1",
};
const nameCharacters = 12;

/** The name of the network for the world whose runtime has this folder. */
export function getNetworkName(folder: string): string {
  return `switchyard-${createHash("sha256").update(resolve(folder)).digest("hex").slice(0, nameCharacters)}`;
}

/**
 * Opens the network `name`. The network of an earlier run is reused, because containers that still
 * run are in it. Before a new one is created, `endContainers` ends the containers of an earlier
 * version: in their network, containers could reach each other.
 */
export async function createNetwork(
  { docker }: Pick<Engine, "docker">,
  { name, endContainers }: { name: string; endContainers: () => Promise<void> },
): Promise<Network> {
  const earlier = await inspect();
  if (!earlier || !isClosed(earlier)) {
    await endContainers();
    if (earlier) await docker("network", "rm", name);
    const asked = Object.entries(options).flatMap(([option, value]) => ["--opt", `${option}=${value}`]);
    // Not every engine isolates containers from each other over IPv6.
    await docker("network", "create", "--driver", "bridge", "--ipv6=false", ...asked, name);
  }
  const network = await inspect();
  const [place] = network?.IPAM.Config ?? [];
  if (!network || !isClosed(network) || !place?.Subnet || !place.Gateway) {
    throw new Error(`The engine made ${name} as a network in which containers reach each other: use Docker.`);
  }
  if (!(await isOwnAddress(place.Gateway))) {
    throw new Error(`Containers do not reach this machine over the network ${name}: use an engine of this machine.`);
  }
  return { name, subnet: place.Subnet, gateway: place.Gateway };

  async function inspect(): Promise<Inspected | null> {
    const names = (await docker("network", "ls", "--format", "{{.Name}}")).split("\n");
    if (!names.includes(name)) return null;
    return JSON.parse(await docker("network", "inspect", name))[0];
  }
}

/**
 * Deletes a network. If it contains a container of another world, it stays, and the next start
 * reuses it.
 */
export async function deleteNetwork({ docker }: Pick<Engine, "docker">, name: string): Promise<void> {
  await docker("network", "rm", name).catch(() => {});
}

interface Inspected {
  Options: Record<string, string> | null;
  IPAM: { Config: { Subnet?: string; Gateway?: string }[] | null };
}

const isClosed = (network: Inspected) =>
  Object.entries(options).every(([option, value]) => network.Options?.[option] === value);
