// The addresses that a sandbox with an open network does not reach: those of this machine, of the
// bridges to its containers, of its link, and of the cloud's metadata.
import { parseGroups } from "../../../src/network/rules/address.ts";

/**
 * Clouds give the credentials of a machine to every program on it that asks here: most of them,
 * Google and Amazon by IPv6, Alibaba, and Azure.
 */
export const metadataAddresses = [
  "169.254.169.254",
  "fd00:ec2::254",
  "fd20:ce::254",
  "100.100.100.200",
  "168.63.129.16",
];

/** Pasta forwards DNS requests to these addresses. No host of the internet has them. */
const dnsAddresses = { IPv4: "192.0.0.8", IPv6: "100::8" };

/** An interface of the machine, as `ip -json -details address` prints it. */
export interface MachineInterface {
  ifname: string;
  linkinfo?: { info_kind?: string };
  addr_info: { family: string; local?: string; prefixlen: number }[];
}

type Version = keyof typeof dnsAddresses;

/** Loopback and the link. Other programs of this machine can receive broadcasts and multicast. */
const linkRanges = [
  ...["127.0.0.0/8", "169.254.0.0/16", "224.0.0.0/4", "255.255.255.255"],
  ...["fe80::/10", "ff00::/8"],
];

/**
 * Formats the rules of nft that block the addresses. Routes would not do: a program that binds its
 * socket to an interface, such as `curl --interface`, passes every route that leads nowhere.
 */
export function formatBlocking(interfaces: MachineInterface[]): string {
  const own = interfaces.flatMap(({ addr_info }) =>
    addr_info.flatMap(({ local, prefixlen }) => {
      if (local === undefined) return [];
      // A machine that forwards IPv6 also answers at the first address of each range.
      return toVersion(local) === "IPv4" ? [local] : [local, toRange(local, prefixlen).replace(/\/.*/, "")];
    }),
  );
  // A network in user mode has the name of the interface that leads out, which keeps its range.
  const bridges = interfaces
    .filter(({ linkinfo }) => linkinfo?.info_kind === "bridge")
    .flatMap(({ ifname, addr_info }) => {
      const ranges = addr_info.flatMap(({ local, prefixlen }) => (local ? [toRange(local, prefixlen)] : []));
      return formatRejecting(ranges, `oifname != "${ifname}" `);
    });
  const rules = [...formatRejecting([...own, ...metadataAddresses, ...linkRanges]), ...bridges];
  // Without a reset, a TCP connection by IPv6 would fail only after a second.
  return `table inet switchyard {
  chain refuse {
    meta l4proto tcp reject with tcp reset
    reject
  }
  chain out {
    type filter hook output priority 0;
    oifname "lo" accept
    ${rules.join("\n    ")}
  }
}
`;
}

function formatRejecting(addresses: string[], condition = ""): string[] {
  return (["IPv4", "IPv6"] as const).flatMap((version) => {
    const blocked = [...new Set(addresses)].filter((address) => toVersion(address) === version);
    const family = version === "IPv4" ? "ip" : "ip6";
    return blocked.length === 0 ? [] : [`${condition}${family} daddr { ${blocked.join(", ")} } goto refuse`];
  });
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
