// Which real port each declared port is on: the same number in a container, a free one where sandboxes share a machine.
import { createServer } from "node:net";
import type { PortMap, ServicePlan } from "../../src/sandbox/protocol.ts";

export interface Ports {
  /** True where sandboxes share one machine. */
  isMapped: boolean;
  map(): PortMap;
  /** Gives every declared port its real one and forgets ports that nobody declares any more. */
  assign(services: ServicePlan[]): Promise<void>;
  real(declared: number): number;
}

/** Ports that stay what they are once assigned. */
export function createPorts(isMapped: boolean): Ports {
  let assigned = new Map<number, number>();
  return {
    isMapped,
    map: () => Object.fromEntries([...assigned].map(([declared, real]) => [String(declared), real])),
    async assign(services) {
      const next = new Map<number, number>();
      for (const { port } of services.flatMap((service) => service.endpoints)) {
        next.set(port, isMapped ? (assigned.get(port) ?? (await findFreePort())) : port);
      }
      assigned = next;
    },
    real: (declared) => assigned.get(declared) ?? declared,
  };
}

function findFreePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      server.close(() => resolve(typeof address === "object" && address ? address.port : 0));
    });
  });
}
