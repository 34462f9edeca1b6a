// The HTTP client of all measurements, with one persistent connection per server and minimal
// overhead. Its own time is part of each sample and brings every ratio closer to 1.
import { Agent, request } from "node:http";

export interface Reply {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  text: string;
  bytes: number;
  /** Milliseconds from before the request is written until its response is read. */
  ms: number;
  /** Milliseconds until the first chunk of the response's body. */
  firstByteMs: number;
}

export interface HttpClient {
  get(path: string): Promise<Reply>;
  post(path: string, body: unknown): Promise<Reply>;
  put(path: string, body: unknown): Promise<Reply>;
  patch(path: string, body: unknown): Promise<Reply>;
  delete(path: string): Promise<Reply>;
  close(): void;
}

/** Creates a client of one server. Throws for a status other than 2xx. */
export function createHttpClient(baseUrl: string, headers: Record<string, string> = {}): HttpClient {
  const { hostname, port } = new URL(baseUrl);
  const agent = new Agent({ keepAlive: true, maxSockets: 4 });

  function send(method: string, path: string, body?: string): Promise<Reply> {
    return new Promise((resolve, reject) => {
      const length = body === undefined ? {} : { "content-length": Buffer.byteLength(body) };
      const allHeaders = { ...headers, "content-type": "application/json", ...length };
      const startedAt = performance.now();
      const asked = request({ agent, hostname, port, method, path, headers: allHeaders }, (answer) => {
        const chunks: Buffer[] = [];
        let firstByteMs = 0;
        answer.on("data", (chunk: Buffer) => {
          if (chunks.length === 0) firstByteMs = performance.now() - startedAt;
          chunks.push(chunk);
        });
        answer.once("error", reject);
        answer.once("end", () => {
          const ms = performance.now() - startedAt;
          const bytes = Buffer.concat(chunks);
          const text = bytes.toString("utf8");
          const status = answer.statusCode ?? 0;
          if (status < 200 || status > 299) {
            reject(new Error(`${method} ${path} answered ${status}: ${text.slice(0, 500)}`));
            return;
          }
          resolve({ status, headers: answer.headers, text, bytes: bytes.length, ms, firstByteMs });
        });
      });
      asked.once("error", reject);
      asked.end(body);
    });
  }

  return {
    get: (path) => send("GET", path),
    post: (path, body) => send("POST", path, JSON.stringify(body)),
    put: (path, body) => send("PUT", path, JSON.stringify(body)),
    patch: (path, body) => send("PATCH", path, JSON.stringify(body)),
    delete: (path) => send("DELETE", path),
    close: () => agent.destroy(),
  };
}
