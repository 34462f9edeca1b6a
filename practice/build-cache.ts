// The build cache: a build runs again only after one of its input files has changed. It is stored
// under node_modules, so a new clone starts without it.
import { randomUUID } from "node:crypto";
import { mkdir, readFile, rename, stat, writeFile } from "node:fs/promises";
import { dirname, join, relative, resolve } from "node:path";

const root = join(import.meta.dirname, "..");
/** Where builds are stored. */
export const buildFolder = join(root, "node_modules", ".cache", "switchyard");

export interface Build<Built> {
  built: Built;
  /** The input files. */
  inputs: string[];
}

interface CachedBuild<Built> {
  built: Built;
  /**
   * The modification time of each input, by its path from the root, because a copy of the folder
   * has separate inputs.
   */
  changedAt: Record<string, number>;
}

/**
 * Returns the cached result if no input has changed since, otherwise runs `build`. The result must
 * be JSON.
 */
export async function buildOnce<Built>(name: string, build: () => Promise<Build<Built>>): Promise<Built> {
  const file = join(buildFolder, `${name}.json`);
  const cached = await readCached<Built>(file);
  if (cached && (await areUnchanged(cached.changedAt))) return cached.built;
  const startedAt = Date.now();
  const { built, inputs } = await build();
  const changedAt = await readChangeTimes([...inputs, join(root, "package-lock.json")]);
  // The build may have read either version of an input that changed meanwhile, so it is not cached.
  if (Object.values(changedAt).every((time) => time < startedAt))
    await writeWhole(file, JSON.stringify({ built, changedAt }));
  return built;
}

/** Reads a cached build; null if there is none or the file is damaged. */
async function readCached<Built>(file: string): Promise<CachedBuild<Built> | null> {
  try {
    return JSON.parse(await readFile(file, "utf8"));
  } catch {
    return null;
  }
}

async function areUnchanged(before: Record<string, number>): Promise<boolean> {
  try {
    const now = await readChangeTimes(Object.keys(before));
    return Object.entries(before).every(([file, time]) => now[file] === time);
  } catch {
    return false;
  }
}

async function readChangeTimes(files: string[]): Promise<Record<string, number>> {
  const paths = files.map((file) => resolve(root, file));
  const times = paths.map(async (path) => [relative(root, path), (await stat(path)).mtimeMs] as const);
  return Object.fromEntries(await Promise.all(times));
}

/** Writes by rename, so that a world that starts at the same time reads a complete file. */
export async function writeWhole(file: string, content: string): Promise<void> {
  await mkdir(dirname(file), { recursive: true });
  const part = `${file}.${randomUUID()}`;
  await writeFile(part, content);
  await rename(part, file);
}
