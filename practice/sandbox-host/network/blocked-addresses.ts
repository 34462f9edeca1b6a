// The addresses that a sandbox with an open network does not reach: those of this machine, of the
// bridges to its containers, of its link, and of the cloud's metadata.
import { parseGroups } from "../../../src/network/rules/address.ts";

/** Clouds give the credentials of a machine to every program on it that asks here. */
export const metadataAddresses = ["169.254.169.254", "fd00:ec2::254"];

/** Pasta forwards DNS requests to these addresses. No host of the internet has them. */
const dnsAddresses = { IPv4: "192.0.0.8", IPv6: "100::8" };

/** An interface of the machine, as `ip -json -details address` prints it. */
export interface MachineInterface {
  linkinfo?: { info_kind?: string };
  addr_info: { family: string; local?: string; prefixlen: number }[];
}

type Version = keyof typeof dnsAddresses;

/** Other programs of this machine can receive multicast. */
const linkRanges = { IPv4: ["169.254.0.0/16", "224.0.0.0/4"], IPv6: ["fe80::/10", "ff00::/8"] };

/**
 * A route does not block what names its interface. These rules do, in front of the table of local
 * addresses. `iif lo` excludes packets that arrive.
 */
const linkRules = [
  ...["rule add pref 2 lookup local", "rule del pref 0"],
  ...linkRanges.IPv6.map((range) => `rule add pref 1 iif lo to ${range} unreachable`),
];

/**
 * Formats the commands of `ip -batch` that block the addresses of a version of IP. Empty if the
 * machine does not have that version.
 */
export function formatBlocking(interfaces: MachineInterface[], version: Version): string[] {
  const own = interfaces.flatMap(({ linkinfo, addr_info }) =>
    addr_info.flatMap(({ local, prefixlen }) => {
      if (local === undefined || toVersion(local) !== version) return [];
      return linkinfo?.info_kind === "bridge" ? [local, toRange(local, prefixlen)] : [local];
    }),
  );
  if (own.length === 0) return [];
  const metadata = metadataAddresses.filter((address) => toVersion(address) === version);
  const blocked = new Set([...own, ...metadata, ...linkRanges[version]]);
  return [
    ...(version === "IPv6" ? linkRules : []),
    // With this metric, the interface that leads out keeps its own range.
    ...[...blocked].map((to) => `route add unreachable ${to} metric 4096`),
  ];
}

/** How the names of a sandbox are resolved. */
export interface Resolvers {
  /** The text of `/etc/resolv.conf`. */
  text: string;
  /** The addresses at which pasta forwards to the machine's first resolver. */
  forwarded: string[];
}

/**
 * Formats the resolvers of a sandbox from those of the machine. If one of them has a blocked
 * address, pasta replaces all of its version of IP: an answer that pasta forwards has the address
 * at which pasta forwards, even if the sandbox asked the resolver.
 */
export function formatResolvers(text: string, interfaces: MachineInterface[]): Resolvers {
  const own = interfaces.flatMap(({ addr_info }) => addr_info.map(({ local }) => local));
  const isBlocked = (address: string) =>
    /^(127|169\.254)\.|^fe[89ab]/i.test(address) || [...own, ...metadataAddresses].includes(address);
  const pattern = /^(\s*nameserver\s+)(\S+)/gm;
  const resolvers = [...text.matchAll(pattern)].map(([, , address = ""]) => address);
  const versions = new Set(resolvers.filter(isBlocked).map(toVersion));
  return {
    text: text.replaceAll(pattern, (line, keyword: string, address: string) =>
      versions.has(toVersion(address)) ? keyword + dnsAddresses[toVersion(address)] : line,
    ),
    forwarded: [...versions].map((version) => dnsAddresses[version]),
  };
}

const toVersion = (address: string): Version => (address.includes(":") ? "IPv6" : "IPv4");

/** The range of an interface's address, such as 10.0.0.0/24 of 10.0.0.7. */
function toRange(address: string, bits: number): string {
  if (toVersion(address) === "IPv4") return `${keepBits(address.split(".").map(Number), 8, bits).join(".")}/${bits}`;
  const groups = keepBits(parseGroups(address) ?? [], 16, bits);
  return `${groups.map((group) => group.toString(16)).join(":")}/${bits}`;
}

/** Clears all bits after the first ones. Each part has `width` bits. */
function keepBits(parts: number[], width: number, bits: number): number[] {
  return parts.map((part, at) => {
    const kept = Math.min(Math.max(bits - at * width, 0), width);
    return part - (part % 2 ** (width - kept));
  });
}
