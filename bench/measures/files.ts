// The times of file operations for a client: the tree of a large project, and a commit of many
// changed files.
import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { World } from "../../practice/local-service.ts";
import type { Product, ProductSession } from "../lib/product.ts";
import { type Finding, toTimedFinding } from "../lib/result.ts";

export interface FilesSize {
  listed: number;
  committed: number;
  samples: number;
}

interface Bench {
  world: World;
  stateDir: string;
  product: Product;
}

const listBarMs = 1_000;
const commitBarMs = 2_000;

/** Lists and commits files of a session without a running turn. */
export async function measureFiles(bench: Bench, session: ProductSession, size: FilesSize): Promise<Finding[]> {
  const { world, stateDir, product } = bench;
  const { sandboxKey } = await product.preview(session.id);
  const project = join(stateDir, "sandboxes", sandboxKey, "project");
  const preview = `${world.baseUrl}/api/projects/${world.projectId}/chat-sessions/${session.id}/preview`;

  async function ask(path: string, message?: string): Promise<number> {
    const startedAt = performance.now();
    const init = message === undefined ? {} : { method: "POST", body: JSON.stringify({ message }) };
    const headers = { ...product.headers, "content-type": "application/json" };
    const answer = await fetch(`${preview}/${path}`, { ...init, headers });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${path} answered ${answer.status}: ${text}`);
    return performance.now() - startedAt;
  }

  const lists: number[] = [];
  const commits: number[] = [];
  for (let sample = 0; sample < size.samples; sample++) {
    await fill(join(project, "changed"), size.committed, `sample ${sample}\n`);
    commits.push(await ask("git/commit", `Sample ${sample}`));
    await session.settled();
  }
  await fill(join(project, "listed"), size.listed, "");
  for (let sample = 0; sample < size.samples; sample++) lists.push(await ask("files"));
  await rm(join(project, "listed"), { recursive: true });
  return [
    toTimedFinding(`list of ${size.listed} files`, lists, listBarMs),
    toTimedFinding(`commit of ${size.committed} changed files`, commits, commitBarMs),
  ];
}

async function fill(folder: string, count: number, text: string): Promise<void> {
  const folderSize = 100;
  for (let index = 0; index < count; index++) {
    const inside = join(folder, `${index % folderSize}`);
    if (index < folderSize) await mkdir(inside, { recursive: true });
    await writeFile(join(inside, `file-${index}.ts`), `${text}${index}\n`);
  }
}
