// Finds a free loopback port.
import { randomInt } from "node:crypto";
import { createServer } from "node:net";

/**
 * Below the ports that systems assign themselves: to a server without a fixed port, or to the local
 * end of a connection.
 */
const ports = { from: 20_000, to: 32_768 };

/**
 * Returns a port that nobody listens on. This process returns it only once, so it stays free until
 * its server starts, and while that server restarts.
 */
export async function claimFreePort({ from, to } = ports): Promise<number> {
  for (;;) {
    const port = randomInt(from, to);
    if ((await isFree(port)) && (await hold(port))) return port;
  }
}

/**
 * Takes a socket name that lasts as long as this process. Only Linux has such names: elsewhere, two
 * processes that ask at the same time may get the same port.
 */
function hold(port: number): Promise<boolean> {
  if (process.platform !== "linux") return Promise.resolve(true);
  return new Promise((resolve) => {
    const holder = createServer().unref();
    holder.once("error", () => resolve(false));
    holder.listen(`\0switchyard-port-${port}`, () => resolve(true));
  });
}

/** True if nobody listens on a port of loopback. */
export function isFree(port: number): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once("error", (error: NodeJS.ErrnoException) =>
      error.code === "EADDRINUSE" ? resolve(false) : reject(error),
    );
    probe.listen(port, "127.0.0.1", () => probe.close(() => resolve(true)));
  });
}
