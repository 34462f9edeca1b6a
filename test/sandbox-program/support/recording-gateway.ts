// Stands in for the model gateway: forwards every request to the practice provider, and stores its
// token. It can be unavailable.
import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { gatewayHeader } from "../../../src/model-gateway/rules/service-absence.ts";

/**
 * How a request ends if the service is unavailable: with a status of the edge, without a response,
 * or after the first text of one.
 */
export type Absence = number | "reset" | "cut";

export interface RecordingGateway {
  url: string;
  /**
   * The requests so far, each with its path and query, its credential, its headers and its body.
   */
  requests: { path: string; key: string; headers: IncomingHttpHeaders; body: string }[];
  /** What the next requests meet, one each: null is the provider. */
  absences: (Absence | null)[];
  stop(): Promise<void>;
}

/** Starts a gateway in front of a provider. */
export async function startRecordingGateway(providerUrl: string): Promise<RecordingGateway> {
  const requests: RecordingGateway["requests"] = [];
  const absences: RecordingGateway["absences"] = [];
  const server = createServer(async (request, response) => {
    let body = "";
    for await (const chunk of request) body += chunk;
    const { authorization, "x-api-key": apiKey, "anthropic-version": version } = request.headers;
    const key = String(apiKey ?? authorization?.replace(/^Bearer /, "") ?? "");
    const path = request.url ?? "/";
    requests.push({ path, key, headers: request.headers, body });
    const absence = absences.shift();
    if (absence === "reset") return response.destroy();
    if (typeof absence === "number") return response.writeHead(absence, { "content-type": "text/html" }).end("away");
    const abort = new AbortController();
    response.once("close", () => abort.abort());
    try {
      const headers = {
        "content-type": "application/json",
        "x-api-key": key,
        ...(version ? { "anthropic-version": String(version) } : {}),
      };
      const answer = await fetch(`${providerUrl}${path}`, { method: "POST", headers, body, signal: abort.signal });
      const type = answer.headers.get("content-type") ?? "";
      response.writeHead(answer.status, { "content-type": type, [gatewayHeader]: "1" });
      if (absence === "cut") {
        const [started = ""] = /^.*?"text_delta".*?\n\n/s.exec(await answer.text()) ?? [];
        return response.write(started, () => response.destroy());
      }
      for await (const chunk of answer.body ?? []) response.write(chunk);
      response.end();
    } catch {
      response.destroy();
    }
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    absences,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
