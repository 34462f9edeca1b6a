// Which requests a stand-in server answers: those that name this machine. A web page can lead its own name to a loopback address (DNS
// rebinding), and its requests would then carry that name in their Host header.
import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";

const loopbackHost = /^(localhost|127\.0\.0\.1|\[::1\])(:\d{1,5})?$/i;

/** True for a request whose Host header names this machine by a loopback name. */
export function isForLoopback({ headers }: Pick<IncomingMessage, "headers">): boolean {
  return loopbackHost.test(headers.host ?? "");
}

/** The listener of a server that refuses every other request. */
export function forLoopback(listener: RequestListener): RequestListener {
  return (request: IncomingMessage, response: ServerResponse<IncomingMessage> & { req: IncomingMessage }) => {
    if (isForLoopback(request)) return listener(request, response);
    request.resume();
    response
      .writeHead(421, { "content-type": "text/plain", connection: "close" })
      .end("This server answers under the names of this machine alone: use 127.0.0.1 or localhost in its address.\n");
  };
}
