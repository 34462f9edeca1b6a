// Checks whether an endpoint of a service responds: with a request to its health path, or with a
// connection.
import { get } from "node:http";
import type { Socket } from "node:net";
import { connectLoopback } from "./loopback.ts";

const checkTimeoutMs = 1_000;

/** True for an HTTP status below 500. Without a health path, true if the connection is accepted. */
export async function isEndpointReady(port: number, healthPath: string | undefined): Promise<boolean> {
  const socket = await connectLoopback(port, checkTimeoutMs);
  if (!socket) return false;
  if (healthPath) return await answersRequest(socket, port, healthPath);
  socket.destroy();
  return true;
}

function answersRequest(socket: Socket, port: number, path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const request = get({
      host: "localhost",
      port,
      path: path.startsWith("/") ? path : `/${path}`,
      timeout: checkTimeoutMs,
      createConnection: () => socket,
    });
    request.once("response", (response) => {
      response.destroy();
      resolve((response.statusCode ?? 500) < 500);
    });
    request.once("timeout", () => request.destroy());
    request.once("error", () => resolve(false));
    request.once("close", () => resolve(false));
  });
}
