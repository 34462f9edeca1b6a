// Finds a free loopback port.
import { randomInt } from "node:crypto";
import { createServer } from "node:net";
import { claimName } from "./claimed-name.ts";

/**
 * Below the ports that systems assign themselves: to a server without a fixed port, or to the local
 * end of a connection.
 */
const ports = { from: 20_000, to: 32_768 };

/**
 * Returns a port that nobody listens on. This process returns it only once, so it stays free until
 * its server starts, and while that server restarts. Only on Linux does no other process get it.
 */
export async function claimFreePort({ from, to } = ports): Promise<number> {
  for (;;) {
    const port = randomInt(from, to);
    if ((await isFree(port)) && (await claimName(`port-${port}`))) return port;
  }
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
