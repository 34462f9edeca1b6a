// The first start of a session on a large repository, compared with the shallowest clone of git.
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { demoRepository } from "../../practice/seed.ts";
import { shortTurn } from "../lib/practice-turn.ts";
import { type Finding, toComparedFinding } from "../lib/result.ts";
import { measureSideBySide } from "../lib/samples.ts";
import type { Bench } from "../lib/saved-work.ts";

export interface LargeRepositorySize {
  files: number;
  commits: number;
  starts: number;
}

/** From the request to the turn's start, relative to the clone. */
const startBar = 1.5;
const branch = "bench-large";
const run = promisify(execFile);

/** Starts sessions on the branch with a long history, and clones that branch with git itself. */
export async function measureLargeRepository(bench: Bench, size: LargeRepositorySize): Promise<Finding[]> {
  const { product, stateDir } = bench;
  const repository = join(stateDir, "forge/repositories", `${demoRepository}.git`);
  await createHistory(repository, size);
  const folder = join(stateDir, "bench-clone");
  const { started, cloned } = await measureSideBySide(
    { warmUp: 0, count: size.starts },
    {
      async started() {
        const startedAt = performance.now();
        const { session, jobId } = await product.create(shortTurn, { targetBranch: branch });
        await session.started(jobId);
        const ms = performance.now() - startedAt;
        await session.completed(jobId);
        await session.settled();
        return ms;
      },
      async cloned() {
        const startedAt = performance.now();
        await run("git", ["clone", "--quiet", "--depth", "1", "--branch", branch, `file://${repository}`, folder]);
        const ms = performance.now() - startedAt;
        await rm(folder, { recursive: true });
        return ms;
      },
    },
  );
  const what = `first start on ${size.files} files with ${size.commits} commits, against git clone --depth 1`;
  return [toComparedFinding(what, started, cloned, startBar)];
}

/**
 * Writes the branch into the bare repository, on top of `main`. Each commit changes a few of its
 * files.
 */
async function createHistory(folder: string, { files, commits }: LargeRepositorySize): Promise<void> {
  const child = spawn("git", ["--git-dir", folder, "fast-import", "--quiet"], {
    env: { PATH: process.env.PATH ?? "" },
    stdio: ["pipe", "ignore", "inherit"],
  });
  const ended = once(child, "close");
  const put = async (text: string) => void (child.stdin.write(text) || (await once(child.stdin, "drain")));
  for (let commit = 0; commit < commits; commit++) {
    const from = commit === 0 ? "from refs/heads/main\n" : "";
    const message = `change ${commit}`;
    await put(`commit refs/heads/${branch}\ncommitter Bench <bench@example.com> ${1_700_000_000 + commit} +0000\n`);
    await put(`data ${message.length}\n${message}\n${from}`);
    const changed = commit === 0 ? files : 3;
    for (let index = 0; index < changed; index++) {
      const file = (commit * 7 + index) % files;
      const content = `export const change = ${commit};\n${`export const line${file} = ${file};\n`.repeat(60)}`;
      await put(`M 100644 inline large/${file % 60}/file-${file}.ts\ndata ${content.length}\n${content}\n`);
    }
  }
  child.stdin.end();
  const [code] = await ended;
  if (code !== 0) throw new Error(`git fast-import ended with ${code}`);
}
