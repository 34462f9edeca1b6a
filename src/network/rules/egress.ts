// Which requests of a container the platform catches, and what its entrypoint for them knows.
import type { NetworkInForce } from "./network.ts";

/**
 * The parts of a container's name: the sandbox's key, and the generation in which the container
 * started. The generation is null for the container of a prebuild.
 */
export interface ContainerName {
  sandboxKey: string;
  generation: number | null;
}

/** The properties of the entrypoint. The first ones are those of the platform's package. */
export interface EgressProps {
  className: string;
  containerId: string;
  enableInternet: boolean;
  interceptAll: boolean;
  /** Hosts that the package checks once more, after our own rule. */
  allowedHosts: string[];
  container: ContainerName;
  network: NetworkInForce;
}

/** The properties of the entrypoint for one container. */
export function toEgressProps(
  { containerId, container }: Pick<EgressProps, "containerId" | "container">,
  network: NetworkInForce,
): EgressProps {
  return {
    className: "SandboxContainer",
    containerId,
    enableInternet: false,
    interceptAll: true,
    // The package knows no ports.
    allowedHosts: [...new Set(network.hosts.map((pattern) => pattern.replace(/:\d+$/, "")))],
    container,
    network,
  };
}
