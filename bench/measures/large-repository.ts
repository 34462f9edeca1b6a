// A large repository: the start of a session on it, and the wake of a work folder with many small
// files.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { demoRepository } from "../../practice/seed.ts";
import { threeToolTurn } from "../lib/practice-turn.ts";
import { type Finding, toTimedFinding } from "../lib/result.ts";
import { type Bench, pause, wakeUp, writeFiles } from "../lib/saved-work.ts";

export interface LargeRepositorySize {
  files: number;
  commits: number;
  starts: number;
  /** The number of small files in the work folder that wakes. */
  worked: number;
  wakes: number;
}

const startBarMs = 3_000;
const wakeBarMs = 3_000;
const branch = "bench-large";

/**
 * Starts sessions on the branch with a long history, and wakes the last one with many small files.
 */
export async function measureLargeRepository(bench: Bench, size: LargeRepositorySize): Promise<Finding[]> {
  const { product, stateDir } = bench;
  await createHistory(join(stateDir, "forge/repositories", `${demoRepository}.git`), size);
  const starts: number[] = [];
  let session = null;
  for (let start = 0; start < size.starts; start++) {
    const startedAt = performance.now();
    const created = await product.create(threeToolTurn, { targetBranch: branch });
    session = created.session;
    await session.completed(created.jobId);
    starts.push(performance.now() - startedAt);
    await session.settled();
  }
  if (!session) throw new Error("no session was started");
  const { sandboxKey } = await product.preview(session.id);
  const root = join(stateDir, "sandboxes", sandboxKey);
  await writeFiles(join(root, "project/many"), { files: size.worked, megabytes: Math.ceil(size.worked / 500) });
  const wakes: number[] = [];
  for (let wake = 0; wake < size.wakes; wake++) {
    await pause(bench, session, root);
    wakes.push(await wakeUp(bench, session));
    await session.settled();
  }
  return [
    toTimedFinding(`first turn on ${size.files} files with ${size.commits} commits`, starts, startBarMs),
    toTimedFinding(`wake of ${size.worked} small files`, wakes, wakeBarMs),
  ];
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
