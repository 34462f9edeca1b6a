// The way out of containers to the service: a port of this machine's loopback, also at the address of the engine's bridge and at no other.
import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";

export interface WayOut {
  close(): Promise<void>;
}

/** Opens a port of this machine's loopback to the containers behind a bridge. */
export async function openWayOut(bridge: string, port: number): Promise<WayOut> {
  const open = new Set<Socket>();
  const server = createServer((socket) => {
    const other = connect(port, "127.0.0.1");
    for (const [one, peer] of [
      [socket, other],
      [other, socket],
    ] as const) {
      open.add(one);
      one.on("error", () => peer.destroy());
      one.on("close", () => {
        open.delete(one);
        peer.destroySoon();
      });
    }
    socket.pipe(other).pipe(socket);
  });
  server.listen(port, bridge);
  await once(server, "listening");
  return {
    async close() {
      for (const socket of open) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
