// The disks of paused sandboxes that a host keeps, so that a wake need not unpack the saved work.
// That work is in storage, too, so a disk may be deleted at any time.
import { lstat, readdir, readFile, rm, statfs, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { deleteFolder } from "../../sandbox-program/archive/folder-removal.ts";

/** The limits of what a host keeps. */
export interface KeptLimits {
  /** The most disks. */
  disks: number;
  /** While less than this share of the machine's disk is free, none is kept. */
  freeShare: number;
}

/** The limits of a service on one machine. */
export const oneMachineLimits: KeptLimits = { disks: 20, freeShare: 0.1 };

export interface KeptDisks {
  has(key: string): boolean;
  /** Keeps the disk of a stopped sandbox. */
  keep(key: string): Promise<void>;
  /** The disk is used again, or deleted. Returns false if it is not kept. */
  release(key: string): Promise<boolean>;
  /** The oldest disk, if the limits are exceeded; otherwise null. */
  findSurplus(): Promise<string | null>;
}

/**
 * A file in a kept disk, with the build of the program. It distinguishes the disk from one whose
 * host was killed.
 */
export const keptMark = "paused";
const mostMarkBytes = 200;
/** Not part of the saved work, so a wake from storage does not have it either. */
const temporaryName = "tmp";

/**
 * Finds the disks that an earlier host kept in the folder. Deletes those of another build of the
 * program, which may have other records.
 */
export async function createKeptDisks(root: string, build: string, limits: KeptLimits): Promise<KeptDisks> {
  const found = await listKept(root);
  for (const disk of found)
    if (disk.build !== build) await deleteFolder(join(root, disk.key)).catch(reportLeft(disk.key));
  /** Oldest first. */
  const kept = new Set(found.filter((disk) => disk.build === build).map(({ key }) => key));

  return {
    has: (key) => kept.has(key),
    async keep(key) {
      const disk = join(root, key);
      // The sandbox may have left a link here, which a write would follow out of its disk.
      for (const name of [temporaryName, keptMark]) await deleteFolder(join(disk, name));
      await writeFile(join(disk, keptMark), build, { flag: "wx" });
      kept.add(key);
    },
    async release(key) {
      if (!kept.delete(key)) return false;
      await rm(join(root, key, keptMark), { force: true });
      return true;
    },
    async findSurplus() {
      const [oldest = null] = kept;
      const isSurplus = kept.size > limits.disks || (await getFreeShare(root)) < limits.freeShare;
      return isSurplus ? oldest : null;
    },
  };
}

/** Logs that a disk could not be deleted. It must not keep the other sandboxes from starting. */
export const reportLeft = (key: string) => (error: unknown) =>
  console.error(`sandbox host: the disk of ${key} was not deleted:`, error);

/** The kept disks, oldest first. */
async function listKept(root: string): Promise<{ key: string; build: string }[]> {
  const disks: { key: string; build: string; at: number }[] = [];
  for (const key of await readdir(root)) {
    const mark = join(root, key, keptMark);
    // A sandbox may have put anything here before its host was killed.
    const stats = await lstat(mark).catch(() => null);
    if (stats?.isFile() && stats.size <= mostMarkBytes)
      disks.push({ key, build: await readFile(mark, "utf8"), at: stats.mtimeMs });
  }
  return disks.toSorted((left, right) => left.at - right.at);
}

/** Of the bytes and of the files of the disk, whichever is scarcer. */
async function getFreeShare(folder: string): Promise<number> {
  const { bavail, blocks, ffree, files } = await statfs(folder);
  return Math.min(bavail / blocks, files === 0 ? 1 : ffree / files);
}
