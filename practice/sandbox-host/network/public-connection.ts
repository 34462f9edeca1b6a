// Connections to hosts of the internet. A name that resolves to an address of this machine or of
// its network is not connected to, whatever the network of the sandbox allows.
import { type LookupAddress, type LookupOptions, lookup } from "node:dns";
import { connect, type LookupFunction, type Socket } from "node:net";
import { isPublicAddress } from "../../../src/network/rules/address.ts";

/** The name has only addresses that are not of the internet. */
export class NoPublicAddress extends Error {
  constructor(host: string) {
    super(`${host} has no address of the internet.`);
  }
}

/**
 * Servers of a test by host and port, such as `example.com:443`: the ports of this machine at which
 * they listen. Empty outside of tests.
 */
export type ReplacedServers = Record<string, number>;

/** Connects to a port of a host. */
export function createHostConnection(host: string, port: number, replaced: ReplacedServers): Socket {
  const ownPort = replaced[`${host}:${port}`];
  const options = { noDelay: true };
  if (ownPort !== undefined) return connect({ ...options, host: "127.0.0.1", port: ownPort });
  return connect({ ...options, host, port, lookup: lookUpPublic, autoSelectFamily: true });
}

/** Resolves a name to its addresses of the internet. */
const lookUpPublic: LookupFunction = (host, options: LookupOptions, resolved) => {
  lookup(host, { ...options, all: true }, (error, addresses: LookupAddress[]) => {
    if (error) return resolved(error, []);
    const [first, ...others] = addresses.filter(({ address }) => isPublicAddress(address));
    if (first === undefined) return resolved(new NoPublicAddress(host), []);
    if (options.all) return resolved(null, [first, ...others]);
    resolved(null, first.address, first.family);
  });
};
