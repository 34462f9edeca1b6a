// Repositories that anybody may read without a credential: by git, or as the archive of a commit.
import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, writeFileSync } from "node:fs";
import type { ServerResponse } from "node:http";
import { join } from "node:path";
import { isRepositoryName } from "./repository-name.ts";

const mark = "practice-public";

export function isPublic(folder: string): boolean {
  return existsSync(join(folder, mark));
}

export function makePublic(folder: string): void {
  writeFileSync(join(folder, mark), "");
}

/** Parses `/<owner>/<name>/archive/<commit>.tar.gz`; null for any other path. */
export function parseArchivePath(path: string): { name: string; commit: string } | null {
  const [, name = "", commit = ""] = /^\/([^/]+\/[^/]+)\/archive\/([0-9a-f]{40})\.tar\.gz$/.exec(path) ?? [];
  return isRepositoryName(name) ? { name, commit } : null;
}

/** Sends the archive of a commit, with a top folder as at real code hosts. */
export function sendArchive(
  response: ServerResponse,
  folder: string,
  { name, commit }: { name: string; commit: string },
  env: Record<string, string>,
): ChildProcess {
  const prefix = `${name.split("/")[1]}-${commit}/`;
  const git = spawn("git", ["--git-dir", folder, "archive", "--format=tar.gz", `--prefix=${prefix}`, commit], {
    env,
    stdio: ["ignore", "pipe", "ignore"],
  });
  response.once("close", () => git.kill());
  git.once("error", () => response.destroy());
  git.stdout.once("data", (first: Buffer) => {
    response.writeHead(200, { "content-type": "application/gzip" });
    response.write(first);
    git.stdout.pipe(response);
  });
  git.once("close", (code) => {
    if (code !== 0 && !response.headersSent) response.writeHead(404).end();
  });
  return git;
}
