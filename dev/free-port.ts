// Finds a free loopback port.
import { randomInt } from "node:crypto";
import { createServer } from "node:net";

/**
 * Below the ports that systems hand out by themselves: to a server without a port of its own, or to
 * the near end of a connection.
 */
const ports = { from: 20_000, to: 32_768 };

/**
 * A port that nobody listens on. It is handed out once while this process lives, so it stays free
 * until its server starts, and between two of its lives.
 */
export async function freePort({ from, to } = ports): Promise<number> {
  for (;;) {
    const port = randomInt(from, to);
    if ((await isFree(port)) && (await hold(port))) return port;
  }
}

/**
 * Takes a name that goes with this process. Only Linux has such names: elsewhere two processes that
 * ask at once may get the same port.
 */
function hold(port: number): Promise<boolean> {
  if (process.platform !== "linux") return Promise.resolve(true);
  return new Promise((resolve) => {
    const holder = createServer().unref();
    holder.once("error", () => resolve(false));
    holder.listen(`\0switchyard-port-${port}`, () => resolve(true));
  });
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
