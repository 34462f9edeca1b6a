// Stands in for the git gateway: one bare repository over smart HTTP, open to every client with the
// token.
import { execFile } from "node:child_process";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { runBackend } from "../../../practice/code-host/git-backend.ts";

export interface GitRemote {
  /** The repository's address; holds no credential. */
  url: string;
  token: string;
  /** The bare repository, and what git needs of the environment to write to it. */
  folder: string;
  env: Record<string, string>;
  /** Runs git in the bare repository. */
  git(...args: string[]): Promise<string>;
  stop(): Promise<void>;
}

const run = promisify(execFile);

/** Starts a remote at an address of this machine, whose `main` has one commit with these files. */
export async function startGitRemote(
  files: Record<string, string> = { "README.md": "# Demo\n" },
  address = "127.0.0.1",
): Promise<GitRemote> {
  const folder = await mkdtemp(join(tmpdir(), "git-remote-"));
  const token = "git-token-abcdef123456";
  const env = {
    PATH: process.env.PATH ?? "",
    HOME: folder,
    GIT_CONFIG_NOSYSTEM: "1",
    GIT_AUTHOR_NAME: "Somebody",
    GIT_AUTHOR_EMAIL: "somebody@example.test",
    GIT_COMMITTER_NAME: "Somebody",
    GIT_COMMITTER_EMAIL: "somebody@example.test",
  };
  const bare = join(folder, "demo.git");
  const work = join(folder, "work");
  const runGit = async (cwd: string, args: string[]) => (await run("git", args, { cwd, env })).stdout.trim();
  await mkdir(work);
  await runGit(work, ["init", "--quiet", "-b", "main"]);
  for (const [path, content] of Object.entries(files)) {
    await mkdir(join(work, path, ".."), { recursive: true });
    await writeFile(join(work, path), content);
  }
  await runGit(work, ["add", "--all"]);
  await runGit(work, ["commit", "--quiet", "-m", "start"]);
  await runGit(folder, ["clone", "--quiet", "--bare", work, bare]);

  const server = createServer((request, response) => {
    if (request.headers.authorization !== `Bearer ${token}`) {
      response.writeHead(403).end();
      return;
    }
    const url = new URL(request.url ?? "/", "http://remote");
    runBackend(request, response, { root: folder, path: url.pathname, query: url.search.slice(1), env });
  });
  await new Promise<void>((resolve) => server.listen(0, address, resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://${address}:${port}/demo.git`,
    token,
    folder: bare,
    env,
    git: (...args) => runGit(bare, args),
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await rm(folder, { recursive: true, force: true });
    },
  };
}
