// Git over smart HTTP: each request runs `git http-backend` as a CGI program, streaming both ways.
import { type ChildProcess, spawn } from "node:child_process";
import type { IncomingMessage, ServerResponse } from "node:http";

export interface BackendRequest {
  /** The folder of all repositories. */
  root: string;
  /** The path below the root, such as `/owner/repo.git/info/refs`. */
  path: string;
  query: string;
  env: Record<string, string>;
  /** Changes the body of the response, which is then not streamed. */
  rewrite?: ((body: Uint8Array) => Promise<Uint8Array>) | undefined;
}

/**
 * Handles one request. The returned process ends with the response, or if the client disconnects.
 */
export function runBackend(request: IncomingMessage, response: ServerResponse, asked: BackendRequest): ChildProcess {
  const backend = spawn("git", ["http-backend"], {
    env: cgiEnvironment(request, asked),
    stdio: ["pipe", "pipe", "inherit"],
  });
  // The backend may close its input before the body ends.
  backend.stdin.on("error", () => {});
  request.pipe(backend.stdin);
  response.once("close", () => backend.kill());
  backend.once("error", () => fail(response));
  const chunks: Buffer[] = [];
  backend.once("close", () => {
    if (!response.headersSent) return fail(response);
    if (!asked.rewrite) return response.end();
    asked.rewrite(Buffer.concat(chunks)).then(
      (body) => response.end(body),
      () => response.destroy(),
    );
  });

  let head = Buffer.alloc(0);
  const readHead = (chunk: Buffer) => {
    head = Buffer.concat([head, chunk]);
    const end = head.indexOf("\r\n\r\n");
    if (end < 0) return;
    backend.stdout.off("data", readHead);
    const { status, headers } = cgiHead(head.toString("latin1", 0, end));
    response.writeHead(status, headers);
    const first = head.subarray(end + 4);
    if (asked.rewrite) {
      chunks.push(first);
      backend.stdout.on("data", (part: Buffer) => chunks.push(part));
      return;
    }
    response.write(first);
    backend.stdout.pipe(response, { end: false });
  };
  backend.stdout.on("data", readHead);
  return backend;
}

function fail(response: ServerResponse) {
  if (!response.headersSent) response.writeHead(500);
  response.end();
}

function cgiEnvironment(request: IncomingMessage, asked: BackendRequest): Record<string, string> {
  const { headers } = request;
  const optional = {
    CONTENT_LENGTH: headers["content-length"],
    HTTP_CONTENT_ENCODING: headers["content-encoding"],
    GIT_PROTOCOL: headers["git-protocol"],
  };
  return {
    ...asked.env,
    GIT_PROJECT_ROOT: asked.root,
    GIT_HTTP_EXPORT_ALL: "1",
    // The backend allows pushes only for a named user.
    REMOTE_USER: "practice",
    REMOTE_ADDR: request.socket.remoteAddress ?? "",
    REQUEST_METHOD: request.method ?? "GET",
    PATH_INFO: asked.path,
    QUERY_STRING: asked.query,
    CONTENT_TYPE: headers["content-type"] ?? "",
    ...Object.fromEntries(
      Object.entries(optional).filter((entry): entry is [string, string] => typeof entry[1] === "string"),
    ),
  };
}

function cgiHead(text: string): { status: number; headers: Record<string, string> } {
  const headers: Record<string, string> = {};
  let status = 200;
  for (const line of text.split("\r\n")) {
    const colon = line.indexOf(":");
    const name = line.slice(0, colon).toLowerCase();
    const value = line.slice(colon + 1).trim();
    if (name === "status") status = Number.parseInt(value, 10);
    else headers[name] = value;
  }
  return { status, headers };
}
