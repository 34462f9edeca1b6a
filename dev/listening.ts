// How a stand-in listens: at the port it had in an earlier life, which others have kept the address of, as long as nobody else has it now;
// and for longer than its callers keep a connection.
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";

const keepAliveMs = 120_000;

/** Keeps idle connections for longer than callers do, so that none of their requests meets one that is being closed. */
export function outlastCallers(server: Server): void {
  server.keepAliveTimeout = keepAliveMs;
}

/** Listens at this port, or at a free one where it is taken or 0, and answers which it is. */
export async function listenNear(server: Server, port: number, host: string): Promise<number> {
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
