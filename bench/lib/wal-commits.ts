// The commits of objects on one machine, read from the write-ahead logs of their databases. Each is
// a write to disk that the object waits for.
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";

const headerBytes = 32;
const frameHeaderBytes = 24;

/**
 * The number of commits in the logs of a class of objects. The log of an object is deleted once the
 * object sleeps.
 */
export async function countWalCommits(stateDir: string, className: string): Promise<number> {
  const folder = join(stateDir, "cloudflare/do", `switchyard-${className}`);
  // The alarms of all objects are in one file next to them.
  const logs = (await readdir(folder)).filter((name) => name.endsWith("-wal") && !name.startsWith("metadata"));
  const counts = await Promise.all(logs.map(async (name) => countCommits(await readFile(join(folder, name)))));
  return counts.reduce((sum, count) => sum + count, 0);
}

/**
 * The last frame of each commit contains the size of the database; other frames do not. Frames of
 * an earlier log have another salt.
 */
function countCommits(log: Buffer): number {
  if (log.length < headerBytes) return 0;
  const frameBytes = frameHeaderBytes + log.readUInt32BE(8);
  const salt = log.readBigUInt64BE(16);
  let commits = 0;
  for (let at = headerBytes; at + frameBytes <= log.length; at += frameBytes) {
    if (log.readBigUInt64BE(at + 8) !== salt) break;
    if (log.readUInt32BE(at + 4) > 0) commits += 1;
  }
  return commits;
}
