// The engine's socket as the Worker's runtime sees it. The runtime knows no other network than the
// engine's default one, so what it asks for there is done in the network of the world's containers.
// All else goes to the engine as it is.
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
  /** As `unix:///tmp/…`. */
  socket: string;
  close(): Promise<void>;
}

/**
 * Opens a socket that relays to the engine at `engineSocket`. Only this user can connect to it, as
 * whoever can is root on this machine.
 */
export async function openRuntimeSocket(engineSocket: string, network: Network): Promise<RuntimeSocket> {
  const socketPath = engineSocket.replace(/^unix:\/\//, "");
  // Others than its user cannot enter this folder, from its first moment on.
  const folder = await mkdtemp(join(tmpdir(), "switchyard-engine-"));
  const file = join(folder, "docker.sock");
  const open = new Set<Socket>();
  const server = createServer((request, response) => {
    relay(request, response).catch((error: Error) => fail(response, error));
  });
  // A container's end is waited for as long as it runs.
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
      const body = Buffer.from(inNetwork(await text(request), { network: network.name, hasIpv6: hasIpv6() }));
      const { "transfer-encoding": _, ...headers } = request.headers;
      send(request, response, { ...headers, "content-length": String(body.length) }).end(body);
    } else {
      request.pipe(send(request, response, request.headers));
    }
  }

  /** Sends a call without its body to the engine, whose answer becomes the response. */
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
      // The call that waits for a container's end answers long before its body.
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
 * The text of a call that creates a container, for one in `network`. Containers that share the
 * network of another one are left as they are.
 */
export function inNetwork(text: string, { network, hasIpv6 }: { network: string; hasIpv6: boolean }): string {
  const { HostConfig = {}, ...container } = JSON.parse(text);
  if (String(HostConfig.NetworkMode).startsWith("container:")) return text;
  // Without IPv6 in its network, an engine takes ::1 from a container, at which many development
  // servers listen.
  const sysctls = hasIpv6 ? { Sysctls: { ...HostConfig.Sysctls, [loopbackSix]: "0" } } : {};
  return JSON.stringify({ ...container, HostConfig: { ...HostConfig, ...sysctls, NetworkMode: network } });
}

/**
 * What the runtime is shown as the engine's default network. At its gateway the runtime connects
 * callers to any address that this machine reaches, its own loopback too. So the gateway that it is
 * shown is one that containers do not reach.
 */
export function shownBridge({ subnet }: Network) {
  return { Name: "bridge", IPAM: { Config: [{ Subnet: subnet, Gateway: "127.0.0.1" }] } };
}

const loopbackSix = "net.ipv6.conf.lo.disable_ipv6";
const hasIpv6 = () => existsSync(`/proc/sys/${loopbackSix.replaceAll(".", "/")}`);

function fail(response: ServerResponse, error: Error): void {
  if (response.headersSent) response.destroy();
  else response.writeHead(502, { "content-type": "application/json" }).end(JSON.stringify({ message: error.message }));
}
