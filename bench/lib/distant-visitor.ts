// The distance between a client and the Worker: a port whose bytes take a while in both directions.
import { connect, createServer, type Socket } from "node:net";

export interface Distance {
  /** The address of the service, seen from afar. */
  baseUrl: string;
  /** Sets the time there and back, in milliseconds. No request may be open. */
  set(ms: number): void;
  close(): void;
}

/** Opens the port. Without a time that was set, it passes bytes on immediately. */
export async function startDistance(baseUrl: string): Promise<Distance> {
  const { hostname, port } = new URL(baseUrl);
  const sockets = new Set<Socket>();
  let oneWayMs = 0;

  function relay(from: Socket, to: Socket): void {
    sockets.add(from.setNoDelay(true));
    from.on("data", (bytes) => setTimeout(() => to.write(bytes), oneWayMs));
    from.on("end", () => setTimeout(() => to.end(), oneWayMs));
    from.on("error", () => to.destroy());
    from.on("close", () => sockets.delete(from));
  }

  const server = createServer({ allowHalfOpen: true }, (socket) => {
    const service = connect({ host: hostname, port: Number(port), allowHalfOpen: true });
    relay(socket, service);
    relay(service, socket);
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("the port has no number");
  return {
    baseUrl: `http://localhost:${address.port}`,
    set(ms) {
      oneWayMs = ms / 2;
    },
    close() {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}
