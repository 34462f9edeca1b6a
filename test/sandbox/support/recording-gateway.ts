// Stands in for the model gateway: passes every request on to the practice provider, and keeps what it was signed with.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

export interface RecordingGateway {
  url: string;
  /** The requests so far, each with its path, its credential and its body. */
  requests: { path: string; key: string; body: string }[];
  stop(): Promise<void>;
}

/** Starts a gateway in front of a provider. */
export async function startRecordingGateway(providerUrl: string): Promise<RecordingGateway> {
  const requests: RecordingGateway["requests"] = [];
  const server = createServer(async (request, response) => {
    let body = "";
    for await (const chunk of request) body += chunk;
    const { authorization, "x-api-key": apiKey, "anthropic-version": version } = request.headers;
    const key = String(apiKey ?? authorization?.replace(/^Bearer /, "") ?? "");
    const path = request.url ?? "/";
    requests.push({ path, key, body });
    const abort = new AbortController();
    response.once("close", () => abort.abort());
    try {
      const headers = {
        "content-type": "application/json",
        "x-api-key": key,
        ...(version ? { "anthropic-version": String(version) } : {}),
      };
      const answer = await fetch(`${providerUrl}${path}`, { method: "POST", headers, body, signal: abort.signal });
      response.writeHead(answer.status, { "content-type": answer.headers.get("content-type") ?? "" });
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
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
