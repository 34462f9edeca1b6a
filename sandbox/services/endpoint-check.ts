// Whether an endpoint of a service answers: by a request to its health path, or by taking a connection.
import { get } from "node:http";
import { connect } from "node:net";

const checkTimeoutMs = 1_000;

/** True for any HTTP status below 500, or, without a health path, for an accepted connection. */
export function endpointAnswers(port: number, healthPath: string | undefined): Promise<boolean> {
  return healthPath ? answersRequest(port, healthPath) : takesConnection(port);
}

function answersRequest(port: number, path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const request = get({
      host: "localhost",
      port,
      path: path.startsWith("/") ? path : `/${path}`,
      timeout: checkTimeoutMs,
      agent: false,
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

function takesConnection(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host: "localhost", port, timeout: checkTimeoutMs });
    socket.once("connect", () => {
      socket.destroy();
      resolve(true);
    });
    socket.once("timeout", () => socket.destroy());
    socket.once("error", () => resolve(false));
    socket.once("close", () => resolve(false));
  });
}
