// Finds a free loopback port.
import { randomInt } from "node:crypto";
import { createServer } from "node:net";

/** Below the ports that systems hand out by themselves: to a server without a port of its own, or to the near end of a connection. */
const ports = { from: 20_000, to: 32_768 };

/** A port that nobody listens on. Nobody else is handed it, so it stays free until its server starts, and between two of its lives. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(ports.from, ports.to);
    if (await isFree(port)) return port;
  }
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once("error", (error: NodeJS.ErrnoException) =>
      error.code === "EADDRINUSE" ? resolve(false) : reject(error),
    );
    probe.listen(port, "127.0.0.1", () => probe.close(() => resolve(true)));
  });
}
