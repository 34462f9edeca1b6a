// Connections to a port of this machine. A server that listens on `localhost` takes one of the two
// loopback addresses. Which one depends on the machine and on the server.
import { Agent } from "node:http";
import { connect, type Socket } from "node:net";

const loopbacks = ["127.0.0.1", "::1"];
const connectTimeoutMs = 5_000;
/** Shorter than servers keep an idle connection open: otherwise a request could meet its end. */
const keptMs = 4_000;
const keptSockets = 32;

/** No server listens on the port. */
export class NothingListens extends Error {
  constructor(port: number) {
    super(`Nothing listens on port ${port}.`);
  }
}

/** Connects to a port on the first loopback address that accepts; null if neither does. */
export async function connectLoopback(port: number, timeoutMs: number): Promise<Socket | null> {
  for (const host of loopbacks) {
    const socket = await open(host, port, timeoutMs);
    if (socket) return socket;
  }
  return null;
}

/**
 * Opens the connection of an HTTP request to `port`. A request fails with NothingListens if nothing
 * accepts it.
 */
export function openLoopbackSocket(
  { port }: { port?: string | number | null | undefined },
  opened: (error: Error | null, socket: Socket) => void,
): undefined {
  const asked = Number(port);
  void connectLoopback(asked, connectTimeoutMs).then((socket) =>
    socket ? opened(null, socket) : opened(new NothingListens(asked), undefined as never),
  );
}

/** Creates a connection pool by port. Connections are reused for a few seconds. */
export function createLoopbackAgent(): Agent {
  const agent = new Agent({ keepAlive: true, timeout: keptMs, maxFreeSockets: keptSockets });
  return Object.assign(agent, { createConnection: openLoopbackSocket });
}

function open(host: string, port: number, timeoutMs: number): Promise<Socket | null> {
  return new Promise((resolve) => {
    const socket = connect({ host, port, timeout: timeoutMs, noDelay: true });
    const giveUp = () => socket.destroy();
    socket.once("timeout", giveUp);
    socket.once("connect", () => {
      // A socket without a listener can connect to itself. It would hold the port of the service.
      if (socket.localPort === socket.remotePort) return giveUp();
      socket.off("timeout", giveUp);
      socket.setTimeout(0);
      resolve(socket);
    });
    socket.once("close", () => resolve(null));
    // Without a handler, a connection reset would end the process.
    socket.on("error", () => {});
  });
}
