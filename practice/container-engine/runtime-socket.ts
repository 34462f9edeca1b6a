// The engine's socket for the Worker's runtime. The runtime only knows the engine's default
// network, so its calls about that network are redirected to the network of the world's containers.
// All other calls are forwarded unchanged.
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import {
  type ClientRequest,
  createServer,
  request as httpRequest,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type ServerResponse,
} from "node:http";
import type { Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import type { Network } from "./network.ts";

export interface RuntimeSocket {
  /** Such as `unix:///tmp/…`. */
  socket: string;
  close(): Promise<void>;
}

/**
 * Opens a socket that relays to the engine at `engineSocket`. The sidecars of containers get
 * `variables`. Only this user can connect, because
 * anyone who can is root on this machine.
 */
export async function openRuntimeSocket(
  engineSocket: string,
  network: Network,
  variables: Record<string, string> = {},
): Promise<RuntimeSocket> {
  const socketPath = engineSocket.replace(/^unix:\/\//, "");
  // `mkdtemp` creates the folder closed to other users.
  const folder = await mkdtemp(join(tmpdir(), "switchyard-engine-"));
  const file = join(folder, "docker.sock");
  const open = new Set<Socket>();
  const server = createServer((request, response) => {
    relay(request, response).catch((error: Error) => fail(response, error));
  });
  // The call that waits for a container's end lasts as long as the container runs.
  server.requestTimeout = 0;
  server.on("connection", (socket) => {
    open.add(socket);
    socket.once("close", () => open.delete(socket));
  });
  server.listen(file);
  await once(server, "listening");
  return {
    socket: `unix://${file}`,
    async close() {
      for (const socket of open) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
      await rm(folder, { recursive: true, force: true });
    },
  };

  async function relay(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const asked = `${request.method} ${(request.url ?? "").replace(/^\/v[\d.]+(?=\/)|\?.*$/g, "")}`;
    if (asked === "GET /networks/bridge") {
      response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(shownBridge(network)));
    } else if (asked === "POST /containers/create") {
      const body = Buffer.from(
        withNetwork(await text(request), { network: network.name, hasIpv6: hasIpv6(), variables }),
      );
      const { "transfer-encoding": _, ...headers } = request.headers;
      send(request, response, { ...headers, "content-length": String(body.length) }).end(body);
    } else {
      request.pipe(send(request, response, request.headers));
    }
  }

  /** Forwards a call without its body to the engine. The engine's response becomes the response. */
  function send(
    { method, url }: IncomingMessage,
    response: ServerResponse,
    headers: IncomingHttpHeaders,
  ): ClientRequest {
    const sent = httpRequest({ socketPath, method, path: url, headers, agent: false });
    response.once("close", () => sent.destroy());
    sent.on("error", (error) => fail(response, error));
    sent.once("response", (answered) => {
      response.writeHead(answered.statusCode ?? 502, answered.headers);
      // The call that waits for a container's end sends its headers long before its body.
      response.flushHeaders();
      answered.pipe(response);
      answered.once("close", () => {
        if (!answered.complete) response.destroy();
      });
    });
    return sent;
  }
}

/**
 * Rewrites a call that creates a container, so that the container is in `network`. Containers that
 * share another container's network stay unchanged.
 */
export function withNetwork(
  text: string,
  { network, hasIpv6, variables = {} }: { network: string; hasIpv6: boolean; variables?: Record<string, string> },
): string {
  const { HostConfig = {}, Env = [], ...container } = JSON.parse(text);
  if (String(HostConfig.NetworkMode).startsWith("container:")) return text;
  // Without IPv6 in the network, an engine takes ::1 away from a container, but many development
  // servers listen there.
  const sysctls = hasIpv6 ? { Sysctls: { ...HostConfig.Sysctls, [loopbackSix]: "0" } } : {};
  const added = Object.entries(variables).map(([name, value]) => `${name}=${value}`);
  const env = added.length > 0 ? { Env: [...Env, ...added] } : {};
  return JSON.stringify({ ...container, ...env, HostConfig: { ...HostConfig, ...sysctls, NetworkMode: network } });
}

/**
 * What the runtime sees as the engine's default network. At its gateway, the runtime connects
 * callers to any address that this machine reaches, including its own loopback. So the runtime is
 * given a gateway that containers cannot reach.
 */
function shownBridge({ subnet }: Network) {
  return { Name: "bridge", IPAM: { Config: [{ Subnet: subnet, Gateway: "127.0.0.1" }] } };
}

const loopbackSix = "net.ipv6.conf.lo.disable_ipv6";
const hasIpv6 = () => existsSync(`/proc/sys/${loopbackSix.replaceAll(".", "/")}`);

function fail(response: ServerResponse, error: Error): void {
  if (response.headersSent) response.destroy();
  else response.writeHead(502, { "content-type": "application/json" }).end(JSON.stringify({ message: error.message }));
}
