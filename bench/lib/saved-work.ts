// What the measurements of saved work share: a work folder that is filled, paused and woken.
import { existsSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { World } from "../../practice/local-service.ts";
import { keptMark } from "../../practice/sandbox-host/kept-disks.ts";
import type { Product, ProductSession } from "./product.ts";

export interface Bench {
  world: World;
  stateDir: string;
  product: Product;
}

const pollPauseMs = 10;
const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** Returns the milliseconds until the process is gone, and the disk is gone or kept. */
export async function pause({ world, product }: Bench, session: ProductSession, root: string): Promise<number> {
  const startedAt = performance.now();
  const answer = await fetch(`${world.baseUrl}/api/organizations/${world.workspaceId}/stop-sandboxes`, {
    method: "POST",
    headers: { ...product.headers, "content-type": "application/json" },
    body: JSON.stringify({ sessionIds: [session.id] }),
  });
  if (!answer.ok) throw new Error(`stop-sandboxes answered ${answer.status}: ${await answer.text()}`);
  while (existsSync(root) && !existsSync(join(root, keptMark))) await sleep(pollPauseMs);
  return performance.now() - startedAt;
}

/** Few enough polls that they take no noticeable time from a wake of seconds. */
const wakePollMs = 50;

/** Returns the milliseconds until the preview is healthy. */
export async function wakeUp({ product }: Bench, session: ProductSession): Promise<number> {
  const startedAt = performance.now();
  await product.preview(session.id, wakePollMs);
  return performance.now() - startedAt;
}

/**
 * Writes half of the bytes to ten files and half to all the others. Half of the data does not
 * compress.
 */
export async function writeFiles(
  folder: string,
  { files, megabytes }: { files: number; megabytes: number },
): Promise<void> {
  const large = 10;
  const noise = crypto.getRandomValues(new Uint8Array(65_536));
  const text = new TextEncoder().encode("export const answer = 42;\n".repeat(4_000));
  const bytesOfLarge = (megabytes * 500_000) / large;
  const bytesOfSmall = Math.ceil((megabytes * 500_000) / (files - large));
  for (let index = 0; index < files; index++) {
    const isLarge = index < large;
    const inside = join(folder, `${index % 40}`, `${Math.floor(index / 40) % 25}`);
    await mkdir(inside, { recursive: true });
    const source = index % 2 === 0 ? noise : text;
    const content = Buffer.alloc(isLarge ? bytesOfLarge : bytesOfSmall, source.subarray(index % 1_000));
    await writeFile(join(inside, `file-${index}`), content);
  }
}
