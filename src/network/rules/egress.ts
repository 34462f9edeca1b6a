// Which requests of a container the platform catches, what its entrypoint for them knows, and what
// the container is started with.
import { formatNetworkRule } from "./decide.ts";
import type { NetworkInForce } from "./network.ts";
import { parsePattern } from "./pattern.ts";

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
    allowedHosts: [...listNames(network, [80, 443]), ...listOpenSecretHosts(network)],
    container,
    network,
  };
}

/** What the platform is to catch beside requests for the service. */
interface Caught {
  http: string[];
  isAllHttp: boolean;
  https: string[];
}

/**
 * Which requests of a container are caught beside those for the service. With `closed` and `strict`
 * these are only the listed ones: no other name resolves, so that names carry nothing out.
 */
export function listCaught(network: NetworkInForce): Caught {
  const { mode, strict } = network;
  const isAll = mode === "hosts" && !strict;
  return {
    http: isAll ? [] : listNames(network, [80]),
    isAllHttp: isAll,
    https: isAll ? ["*"] : [...listNames(network, [443]), ...listOpenSecretHosts(network)],
  };
}

/** In the mode `hosts`, the host of a secret has to be listed like any other. */
const listOpenSecretHosts = ({ mode, secrets }: NetworkInForce) => (mode === "open" ? (secrets?.hosts ?? []) : []);

/** The listed names, without the patterns of other ports. */
function listNames({ hosts }: NetworkInForce, ports: (80 | 443)[]): string[] {
  const names = hosts.flatMap((text) => {
    const pattern = parsePattern(text);
    if ("mistake" in pattern || !(pattern.port === null || ports.includes(pattern.port))) return [];
    return [`${pattern.isWildcard ? "*." : ""}${pattern.name}`];
  });
  return [...new Set(names)];
}

/** The certificates of the image. Its start adds the one with which the platform opens https. */
const certificatesFile = "/etc/ssl/certs/ca-certificates.crt";
const certificatesVariables = [
  ...["NODE_EXTRA_CA_CERTS", "SSL_CERT_FILE", "GIT_SSL_CAINFO"],
  ...["REQUESTS_CA_BUNDLE", "PIP_CERT", "CARGO_HTTP_CAINFO"],
];

/** The variables of a container in which its program reads about the network. */
export function toContainerVariables(network: NetworkInForce): Record<string, string> {
  const { mode } = network;
  const opensHttps = mode === "hosts" || listOpenSecretHosts(network).length > 0;
  return {
    ...(mode !== "open" && { SANDBOX_NETWORK: mode, SANDBOX_NETWORK_RULE: formatNetworkRule(network, "caught") }),
    ...(opensHttps && {
      SANDBOX_OPENS_HTTPS: "1",
      SANDBOX_COMMAND_ENV: JSON.stringify(
        Object.fromEntries(certificatesVariables.map((name) => [name, certificatesFile])),
      ),
    }),
  };
}
