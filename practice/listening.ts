// How a stand-in server listens: at the port of its last run if that is free, because stored URLs
// contain it, and with a longer keep-alive than its clients.
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";

const keepAliveMs = 120_000;

/**
 * Keeps idle connections longer than clients do, so that no request is sent on a connection that is
 * being closed.
 */
export function outlastCallers(server: Server): void {
  server.keepAliveTimeout = keepAliveMs;
}

/** Listens at `port`, or at a free port if it is taken or 0. Returns the port. */
export async function startListening(server: Server, port: number, host: string): Promise<number> {
  try {
    await listen(server, port, host);
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "EADDRINUSE")) throw error;
    await listen(server, 0, host);
  }
  return (server.address() as AddressInfo).port;
}

function listen(server: Server, port: number, host: string): Promise<void> {
  return new Promise((listening, failed) => {
    server.once("error", failed);
    server.listen(port, host, () => {
      server.off("error", failed);
      listening();
    });
  });
}
