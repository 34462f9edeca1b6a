// The practice forge: stands in for GitHub with real bare repositories on disk, real git over smart HTTP, and pull requests that are kept but
// merge nothing.
import type { ChildProcess } from "node:child_process";
import { mkdir } from "node:fs/promises";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join, resolve } from "node:path";
import { answerApi } from "./api.ts";
import { runBackend } from "./git-backend.ts";
import { gitEnvironment } from "./git-environment.ts";
import { openPullRequests } from "./pull-requests.ts";
import { exists, makeRepository, type RepositoryFiles } from "./repository.ts";
import { isRepositoryName, repositoryInPath } from "./repository-name.ts";
import { carriesToken } from "./token.ts";

export interface PracticeForge {
  url: string;
  /** Makes `owner/repo` with one commit on `main`; one that exists stays as it is. */
  createRepository(name: string, files: RepositoryFiles): Promise<void>;
  close(): Promise<void>;
}

export interface PracticeForgeOptions {
  /** Port 0, the default, takes a free one. */
  port?: number;
  host?: string;
  /** Holds all that the forge keeps. */
  folder: string;
  /** What every request must show. */
  token: string;
}

const keepAliveMs = 120_000;

/** Starts the practice forge. */
export async function startPracticeForge(options: PracticeForgeOptions): Promise<PracticeForge> {
  const { port = 0, host = "127.0.0.1", folder, token } = options;
  const root = resolve(folder, "repositories");
  const scratch = resolve(folder, "scratch");
  const home = resolve(folder, "home");
  for (const each of [root, scratch, home]) await mkdir(each, { recursive: true });
  const env = gitEnvironment(home);
  const folderOf = (name: string) => join(root, `${name}.git`);
  const pullRequests = openPullRequests(resolve(folder, "pull-requests"));
  const hasRepository = async (name: string) => isRepositoryName(name) && (await exists(folderOf(name)));
  const backends = new Set<ChildProcess>();

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (!carriesToken(request.headers.authorization, token)) {
      const challenge = { "www-authenticate": 'Basic realm="Practice Forge"' };
      return refuse(response, 401, "This needs the forge's token.", challenge);
    }
    const { pathname, search } = new URL(request.url ?? "/", "http://forge");
    const asked = repositoryInPath(pathname);
    if (asked === null) return await answerApi(request, response, { pullRequests, hasRepository });
    if (!(await hasRepository(asked.name))) return refuse(response, 404, "Repository not found.");
    const path = `/${asked.name}.git${asked.service}`;
    const backend = runBackend(request, response, { root, path, query: search.slice(1), env });
    backends.add(backend);
    backend.once("close", () => backends.delete(backend));
  }

  const server = createServer((request, response) => {
    handle(request, response).catch((error: unknown) => {
      console.error("practice forge:", error);
      response.destroy();
    });
  });
  // Longer than callers keep an idle connection, so that none of their requests meets one that is being closed.
  server.keepAliveTimeout = keepAliveMs;
  await new Promise<void>((done, reject) => {
    server.once("error", reject).listen(port, host, done);
  });
  const address = server.address() as AddressInfo;

  return {
    url: `http://${host}:${address.port}`,
    async createRepository(name, files) {
      if (!isRepositoryName(name)) throw new Error(`not a repository's name: ${name}`);
      await makeRepository(folderOf(name), files, scratch, env);
    },
    close: () =>
      new Promise((done) => {
        for (const backend of backends) backend.kill();
        server.close(() => done());
        server.closeAllConnections();
      }),
  };
}

function refuse(response: ServerResponse, status: number, message: string, headers: Record<string, string> = {}) {
  response.writeHead(status, { ...headers, "content-type": "text/plain" }).end(`${message}\n`);
}
