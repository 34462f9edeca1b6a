// Decides whether a sandbox may reach a host. It is asked with the URL of a request, or with the
// host and port of a tunnel.
import type { NetworkInForce } from "./network.ts";
import { isInPattern, parsePattern, withoutLastDot } from "./pattern.ts";

/** The name of the service inside a sandbox whose requests are caught. */
export const serviceHost = "service.internal";

/** The path as the service will parse it; null if it is closed to sandboxes. */
export function parseServicePath(asked: string): string | null {
  const url = URL.parse(asked, `http://${serviceHost}`);
  return url && /^\/(api|internal)\//.test(url.pathname) ? url.pathname + url.search : null;
}

export type Verdict = { host: string; port: number } & (
  | { type: "service" | "allow" }
  | { type: "refuse"; reason: RefusedReason }
);

type RefusedReason = "host" | "port" | "address" | "user";

const defaultPorts: Partial<Record<string, number>> = { "http:": 80, "https:": 443 };

/**
 * The verdict on a request. In the mode `open`, only requests for the service and for hosts of
 * secrets are ever asked about.
 */
export function toVerdict(network: NetworkInForce, url: URL): Verdict {
  const host = withoutLastDot(url.hostname);
  const port = Number(url.port || (defaultPorts[url.protocol] ?? 0));
  const refused = (reason: RefusedReason): Verdict => ({ host, port, type: "refuse", reason });
  if (url.username !== "" || url.password !== "") return refused("user");
  if (port !== defaultPorts[url.protocol]) return refused("port");
  if (host === serviceHost) return port === 80 ? { host, port, type: "service" } : refused("port");
  if (isAddress(host)) return refused("address");
  return isAllowed(network, host, port) ? { host, port, type: "allow" } : refused("host");
}

function isAllowed(network: NetworkInForce, host: string, port: number): boolean {
  switch (network.mode) {
    case "open":
      return port === 443 && isSecretHost(network, host);
    case "hosts":
      return isListed(network, host, port);
    case "closed":
      return false;
  }
}

/** True for a host that a secret of the project is for. */
export function isSecretHost({ secrets }: NetworkInForce, host: string): boolean {
  return secrets?.hosts.includes(host) === true;
}

function isListed({ hosts }: NetworkInForce, host: string, port: number): boolean {
  return hosts.some((text) => {
    const pattern = parsePattern(text);
    return !("mistake" in pattern) && isInPattern(pattern, host, port);
  });
}

/** A URL has parsed every spelling of an address. */
const isAddress = (host: string) => host.startsWith("[") || /^[\d.]+$/.test(host);

/** What a refused command reads. */
export function formatRefusedHost({ host, port, reason }: Extract<Verdict, { type: "refuse" }>): string {
  const may = "Switchyard: this project's sandboxes may not reach";
  switch (reason) {
    case "host":
      return `${may} ${host}. A member can add it to the project's network.`;
    case "port":
      return `${may} port ${port} of ${host}: only http at 80 and https at 443.`;
    case "address":
      return `${may} the address ${host}: only hosts by their names.`;
    case "user":
      return `${may} ${host} with a user in the address.`;
  }
}

const namedHosts = 30;

const ways = {
  proxy: "by http and https through the proxy that HTTP_PROXY and HTTPS_PROXY name",
  caught: "by http at port 80 and https at port 443",
};

/**
 * What an agent reads about the network of its sandbox; empty if it reaches everything. `way` is
 * how its commands reach the listed hosts.
 */
export function formatNetworkRule({ mode, hosts }: NetworkInForce, way: keyof typeof ways): string {
  switch (mode) {
    case "open":
      return "";
    case "closed":
      return "This sandbox reaches no host but Switchyard: no package registry, no website. A member can change that in the project's network.";
    case "hosts": {
      const more = hosts.length > namedHosts ? ` and ${hosts.length - namedHosts} more` : "";
      const named =
        hosts.length === 0 ? "no host" : `only these hosts: ${hosts.slice(0, namedHosts).join(", ")}${more}`;
      return `This sandbox reaches ${named}, ${ways[way]}. Others are refused with 403: a member can add them to the project's network.`;
    }
  }
}

/** Said where a network is set or in force that nothing enforces. */
export const nothingHolds =
  "Nothing here enforces the network of a sandbox: set it to open. On one machine, bubblewrap or --containers enforces it.";
