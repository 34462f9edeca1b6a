// A service over HTTP whose answers a test writes down, for commands that run as programs.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

export interface HttpRequest {
  /** The method and the path, such as `GET /api/models`. */
  operation: string;
  query: URLSearchParams;
  /** Null without a body. */
  body: unknown;
}

/** What a request is answered with: `data`, or a stream of events that stays open. */
export type HttpAnswer =
  | { status?: number; data: unknown; meta?: unknown }
  | { status: number; code: string }
  | { events: { id: string; type: string; data: unknown }[] };

export interface HttpService {
  url: string;
  requests: HttpRequest[];
  close(): void;
}

/** Starts the service. What its function does not know is 404. */
export async function startHttpService(
  answer: (request: HttpRequest) => HttpAnswer | undefined | Promise<HttpAnswer | undefined>,
): Promise<HttpService> {
  const requests: HttpRequest[] = [];
  const server = createServer(async (request, response) => {
    const { method = "", url = "" } = request;
    const { pathname, searchParams: query } = new URL(url, "http://service.test");
    let text = "";
    for await (const part of request.setEncoding("utf8")) text += part;
    const seen = { operation: `${method} ${pathname}`, query, body: text === "" ? null : JSON.parse(text) };
    // Each command may also ask for the version.
    if (pathname !== "/api/meta") requests.push(seen);
    const given = (await answer(seen)) ?? { status: 404, code: "NOT_FOUND" };
    if ("events" in given) {
      response.writeHead(200, { "content-type": "text/event-stream" }).flushHeaders();
      for (const { id, type, data } of given.events)
        response.write(`id: ${id}\nevent: ${type}\ndata: ${JSON.stringify(data)}\n\n`);
      return;
    }
    const { status = 200, ...body } = given;
    response.writeHead(status, { "content-type": "application/json" });
    response.end(status === 204 ? undefined : JSON.stringify("code" in body ? { ...body, error: "No." } : body));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}
