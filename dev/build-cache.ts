// The build cache: a build is done once, and again only after a file that went into it has changed. It lies among the installed packages,
// which a new clone does not have.
import { randomUUID } from "node:crypto";
import { mkdir, readFile, rename, stat, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";

const root = join(import.meta.dirname, "..");
const folder = join(root, "node_modules", ".cache", "switchyard");

export interface Build<Built> {
  built: Built;
  /** Every file that went into it. */
  inputs: string[];
}

interface CachedBuild<Built> {
  built: Built;
  /** When each input was changed last. */
  changedAt: Record<string, number>;
}

/** What `build` makes, which is JSON, as it was made last when none of its inputs has changed since. */
export async function buildOnce<Built>(name: string, build: () => Promise<Build<Built>>): Promise<Built> {
  const file = join(folder, `${name}.json`);
  const cached = await readCached<Built>(file);
  if (cached && (await areUnchanged(cached.changedAt))) return cached.built;
  const startedAt = Date.now();
  const { built, inputs } = await build();
  const changedAt = await changeTimes([...inputs, join(root, "package-lock.json")]);
  // An input that changes during the build may have been read before or after.
  if (Object.values(changedAt).every((time) => time < startedAt)) await writeWhole(file, { built, changedAt });
  return built;
}

/** Null when it was never built, or the file is of no use. */
async function readCached<Built>(file: string): Promise<CachedBuild<Built> | null> {
  try {
    return JSON.parse(await readFile(file, "utf8"));
  } catch {
    return null;
  }
}

async function areUnchanged(before: Record<string, number>): Promise<boolean> {
  try {
    const now = await changeTimes(Object.keys(before));
    return Object.entries(before).every(([file, time]) => now[file] === time);
  } catch {
    return false;
  }
}

async function changeTimes(files: string[]): Promise<Record<string, number>> {
  const paths = files.map((file) => resolve(root, file));
  const times = await Promise.all(paths.map(async (path) => [path, (await stat(path)).mtimeMs] as const));
  return Object.fromEntries(times);
}

/** Several worlds may start at a time: each reads a whole file, whoever wrote it. */
async function writeWhole(file: string, content: CachedBuild<unknown>): Promise<void> {
  await mkdir(folder, { recursive: true });
  const part = `${file}.${randomUUID()}`;
  await writeFile(part, JSON.stringify(content));
  await rename(part, file);
}
