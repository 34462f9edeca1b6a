// Maps declared ports to real ones: to the same number in a container, to a free port if sandboxes
// share a machine.
import { type AddressInfo, createServer, type Server } from "node:net";
import type { ServicePlan } from "../../src/sandbox-protocol/protocol.ts";

export interface Ports {
  /** True if sandboxes share one machine. */
  isMapped: boolean;
  /** Maps every declared port, and drops mappings that are no longer declared. */
  assign(services: ServicePlan[]): Promise<void>;
  real(declared: number): number;
  /**
   * The real port of a service with this declared port. Null for the program's own port, and for
   * one that is not this sandbox's.
   */
  reachable(declared: number): number | null;
}

/**
 * Creates the map. A mapping never changes while its port stays declared. `ownPort` is where the
 * program itself listens.
 */
export function createPorts(isMapped: boolean, ownPort: () => number): Ports {
  let assigned = new Map<number, number>();
  return {
    isMapped,
    async assign(services) {
      const next = new Map<number, number>();
      for (const { port } of services.flatMap((service) => service.endpoints)) {
        next.set(port, isMapped ? (assigned.get(port) ?? (await findFreePort())) : port);
      }
      assigned = next;
    },
    real: (declared) => assigned.get(declared) ?? declared,
    reachable(declared) {
      const isPort = Number.isInteger(declared) && declared > 0 && declared < 65_536;
      const known = assigned.get(declared) ?? (isMapped || !isPort ? null : declared);
      return known === ownPort() ? null : known;
    },
  };
}

/**
 * A port that is free on both loopback addresses. Another listener on either of them would be
 * mistaken for the service.
 */
async function findFreePort(): Promise<number> {
  for (;;) {
    const first = await listen(0, "127.0.0.1");
    const { port } = first.address() as AddressInfo;
    const isTaken = await listen(port, "::1").then(
      (second) => second.close() && false,
      (error: NodeJS.ErrnoException) => error.code === "EADDRINUSE",
    );
    first.close();
    if (!isTaken) return port;
  }
}

function listen(port: number, host: string): Promise<Server> {
  return new Promise((resolve, reject) => {
    const server = createServer().once("error", reject);
    server.listen(port, host, () => resolve(server));
  });
}
