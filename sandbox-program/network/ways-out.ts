// The ways out of a sandbox without a network: ports on its loopback that lead to Unix sockets of
// its host.
import { connect, createServer, type Socket } from "node:net";

/** The path of the socket to which each port leads. */
export type WaysOut = Record<string, string>;

/** Opens the ports. Resolves when all listen. */
export async function createWaysOut(waysOut: WaysOut): Promise<void> {
  await Promise.all(Object.entries(waysOut).map(([port, path]) => open(Number(port), path)));
}

async function open(port: number, path: string): Promise<void> {
  const server = createServer({ allowHalfOpen: true, noDelay: true }, (inside) => {
    const outside = connect({ path, allowHalfOpen: true });
    join(inside, outside);
    join(outside, inside);
  });
  await new Promise<void>((listening, failed) => {
    server.once("error", failed).listen(port, "127.0.0.1", listening);
  });
}

/** Forwards data and its end. A connection that breaks breaks the other one. */
function join(from: Socket, to: Socket): void {
  from.on("error", () => {});
  from.pipe(to);
  from.once("close", (isBroken) => isBroken && to.destroy());
}
