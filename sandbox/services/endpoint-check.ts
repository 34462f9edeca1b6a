// Checks whether an endpoint of a service answers: with a request to its health path, or with a connection.
import { get } from "node:http";
import { connect } from "node:net";

const checkTimeoutMs = 1_000;

/** True for an HTTP status below 500. Without a health path, true if the connection is accepted. */
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
