// Protects a stand-in server from DNS rebinding. A web page can point its own name to a loopback
// address; its requests then have that name in their Host header. Only requests with a loopback
// name are accepted.
import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";

const loopbackHost = /^(localhost|127\.0\.0\.1|\[::1\])(:\d{1,5})?$/i;

/** True for a request with a loopback name in its Host header. */
export function isForLoopback({ headers }: Pick<IncomingMessage, "headers">): boolean {
  return loopbackHost.test(headers.host ?? "");
}

/** The listener of a server that refuses every other request. */
export function withLoopbackGuard(listener: RequestListener): RequestListener {
  return (request: IncomingMessage, response: ServerResponse<IncomingMessage> & { req: IncomingMessage }) => {
    if (isForLoopback(request)) return listener(request, response);
    request.resume();
    response
      .writeHead(421, { "content-type": "text/plain", connection: "close" })
      .end("This server responds only under the names of this machine: use 127.0.0.1 or localhost in its address.\n");
  };
}
