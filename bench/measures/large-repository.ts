// The starts of sessions on large repositories: the first one, compared with the shallowest clone
// of git, and one from a base.
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { rm } from "node:fs/promises";
import { basename, join } from "node:path";
import { promisify } from "node:util";
import { demoRepository } from "../../practice/seed.ts";
import { createHttpClient } from "../lib/http-client.ts";
import { shortTurn } from "../lib/practice-turn.ts";
import { type Finding, toComparedFinding, toTimedFinding } from "../lib/result.ts";
import { measureSideBySide } from "../lib/samples.ts";
import type { Bench } from "../lib/saved-work.ts";

export interface LargeRepositorySize {
  files: number;
  commits: number;
  /** Starts of each repository. */
  starts: number;
  /** Folders of other repositories. */
  others: string[];
}

/** From the request to the turn's start, relative to the clone. */
const firstStartBar = 1.5;
/** From the request to the turn's start. */
const startBarMs = 1_000;
const run = promisify(execFile);

/** Measures the starts on a repository with a long history, and on the others of the size. */
export async function measureLargeRepository(bench: Bench, size: LargeRepositorySize): Promise<Finding[]> {
  const repository = join(bench.stateDir, "forge/repositories", `${demoRepository}.git`);
  await createHistory(repository, size);
  const findings = await measureStarts(bench, repository, {
    what: `${size.files} files with ${size.commits} commits`,
    branch: longBranch,
    starts: size.starts,
  });
  for (const folder of size.others) {
    const name = basename(folder.replace(/[/]?(\.git|repo)?[/]?$/, ""));
    const branch = `bench-${name}`;
    await run("git", ["--git-dir", repository, "fetch", "--quiet", "--no-tags", folder, `HEAD:refs/heads/${branch}`]);
    findings.push(...(await measureStarts(bench, repository, { what: name, branch, starts: size.starts })));
  }
  return findings;
}

interface Branch {
  what: string;
  branch: string;
  starts: number;
}

/**
 * Starts sessions on a branch without a base, and clones the branch with git itself. Then makes it
 * the Target Branch of the project, which gets a base, and starts sessions from that.
 */
async function measureStarts(bench: Bench, repository: string, { what, branch, starts }: Branch): Promise<Finding[]> {
  const { world, product, stateDir } = bench;
  const folder = join(stateDir, "bench-clone");
  const client = createHttpClient(world.baseUrl, product.headers);
  const sessionIds: string[] = [];
  const start = async (more: { targetBranch?: string } = {}) => {
    const startedAt = performance.now();
    const { session, jobId } = await product.create(shortTurn, more);
    await session.started(jobId);
    const ms = performance.now() - startedAt;
    sessionIds.push(session.id);
    await session.completed(jobId);
    await session.settled();
    return { session, ms };
  };
  const { started, cloned } = await measureSideBySide(
    { warmUp: 0, count: starts },
    {
      started: async () => (await start({ targetBranch: branch })).ms,
      async cloned() {
        const startedAt = performance.now();
        await run("git", ["clone", "--quiet", "--depth", "1", "--branch", branch, `file://${repository}`, folder]);
        const ms = performance.now() - startedAt;
        await rm(folder, { recursive: true });
        return ms;
      },
    },
  );
  const changed = await client.patch(`/api/projects/${world.projectId}`, { targetBranch: branch });
  if (changed.status !== 200) throw new Error(`the Target Branch was not changed: ${changed.text}`);
  await start();
  const fromBase: number[] = [];
  while (fromBase.length < starts) {
    const { session, ms } = await start();
    const used = "SELECT base_id FROM base_users JOIN sessions USING (sandbox_key) WHERE sessions.id = ?1";
    if ((await world.database.prepare(used).bind(session.id).first()) === null)
      throw new Error("the session did not start from a base");
    fromBase.push(ms);
  }
  await client.post(`/api/organizations/${world.workspaceId}/stop-sandboxes`, { sessionIds });
  client.close();
  return [
    toComparedFinding(`first start on ${what}, against git clone --depth 1`, started, cloned, firstStartBar),
    toTimedFinding(`start from a base of ${what}`, fromBase, startBarMs),
  ];
}

const longBranch = "bench-large";

/**
 * Writes the branch into the bare repository, on top of `main`. Each commit changes a few of its
 * files.
 */
async function createHistory(
  folder: string,
  { files, commits }: Pick<LargeRepositorySize, "files" | "commits">,
): Promise<void> {
  const child = spawn("git", ["--git-dir", folder, "fast-import", "--quiet"], {
    env: { PATH: process.env.PATH ?? "" },
    stdio: ["pipe", "ignore", "inherit"],
  });
  const ended = once(child, "close");
  const put = async (text: string) => void (child.stdin.write(text) || (await once(child.stdin, "drain")));
  for (let commit = 0; commit < commits; commit++) {
    const from = commit === 0 ? "from refs/heads/main\n" : "";
    const message = `change ${commit}`;
    await put(`commit refs/heads/${longBranch}\ncommitter Bench <bench@example.com> ${1_700_000_000 + commit} +0000\n`);
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
