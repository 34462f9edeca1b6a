// Connections to a port of this machine. A server that is told to listen on `localhost` takes one of the two loopback addresses, and which one
// depends on the machine and on the server.
import { connect, type Socket } from "node:net";

const loopbacks = ["127.0.0.1", "::1"];

/** Connects to a port on the first loopback address that accepts; null if neither does. */
export async function connectLoopback(port: number, timeoutMs: number): Promise<Socket | null> {
  for (const host of loopbacks) {
    const socket = await open(host, port, timeoutMs);
    if (socket) return socket;
  }
  return null;
}

function open(host: string, port: number, timeoutMs: number): Promise<Socket | null> {
  return new Promise((resolve) => {
    const socket = connect({ host, port, timeout: timeoutMs, noDelay: true });
    const giveUp = () => socket.destroy();
    socket.once("timeout", giveUp);
    socket.once("connect", () => {
      socket.off("timeout", giveUp);
      socket.setTimeout(0);
      resolve(socket);
    });
    socket.once("close", () => resolve(null));
    // Without a handler, a connection that is reset would end the process.
    socket.on("error", () => {});
  });
}
