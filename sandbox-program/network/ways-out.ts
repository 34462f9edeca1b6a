// The ways out of a sandbox without a network: ports on its loopback that lead to Unix sockets of
// its host.
import { connect, createServer, type Socket } from "node:net";
import { recordRefusedHost } from "./refused-hosts.ts";

/** The path of the socket to which each port leads. */
export type WaysOut = Record<string, string>;

/** Opens the ports. Resolves when all listen. */
export async function createWaysOut(waysOut: WaysOut): Promise<void> {
  await Promise.all(Object.entries(waysOut).map(([port, path]) => open(Number(port), path)));
}

async function open(port: number, path: string): Promise<void> {
  const server = createServer({ allowHalfOpen: true, noDelay: true }, (inside) => {
    const outside = connect({ path, allowHalfOpen: true });
    recordRefusals(inside, outside);
    join(inside, outside);
    join(outside, inside);
  });
  await new Promise<void>((listening, failed) => {
    server.once("error", failed).listen(port, "127.0.0.1", listening);
  });
}

/**
 * Records the hosts that the filter refuses. A request line and the beginning of a response arrive
 * in one piece; where they do not, a refusal is not recorded.
 */
function recordRefusals(inside: Socket, outside: Socket): void {
  let asked: string | null = null;
  inside.on("data", (chunk: Buffer) => {
    asked = findAskedHost(chunk.toString("latin1", 0, longestRequestLine)) ?? asked;
  });
  outside.on("data", (chunk: Buffer) => {
    if (asked !== null && chunk.toString("latin1", 0, refusal.length) === refusal) recordRefusedHost(asked);
  });
}

const refusal = "HTTP/1.1 403 Refused";
const longestRequestLine = 8_192;

/** The host and port of a request to a proxy; null for other bytes. */
function findAskedHost(text: string): string | null {
  const [, tunnel, address] = /^(?:CONNECT (\S+)|[A-Z]+ (http:\/\/\S+)) HTTP\/1\.[01]\r?\n/.exec(text) ?? [];
  if (tunnel !== undefined) return tunnel;
  const url = address === undefined ? null : URL.parse(address);
  return url === null ? null : `${url.hostname}:${url.port === "" ? 80 : url.port}`;
}

/** Forwards data and its end. A connection that breaks breaks the other one. */
function join(from: Socket, to: Socket): void {
  from.on("error", () => {});
  from.pipe(to);
  from.once("close", (isBroken) => isBroken && to.destroy());
}
