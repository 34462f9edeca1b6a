// File access for the agent's file tools. They run in the program, which may read more than a
// command of the agent: its own state, and its own entries in /proc. Access is checked on the
// opened file, so that a link cannot bypass the check.
import { constants } from "node:fs";
import { type FileHandle, open, readdir, readlink, realpath } from "node:fs/promises";
import { dirname, sep } from "node:path";
import type { Folders } from "../folders.ts";

export interface FileAccess {
  /** Opens a file for reading and returns the result of `use`. */
  reading<Result>(path: string, use: (file: FileHandle, place: string) => Promise<Result>): Promise<Result>;
  /** The content of a regular file. Refuses one that would take much of the program's memory. */
  readFile(path: string): Promise<Buffer>;
  /** The content of a regular file in pieces, without what is appended meanwhile. */
  streamFile(path: string): AsyncIterable<Uint8Array>;
  /** Replaces a file's content. Creates the file if it is missing. */
  write(path: string, content: string): Promise<void>;
  /** The names in a folder. */
  list(path: string): Promise<string[]>;
  /** Refuses a path into the program's own files. The last part of the path may not exist. */
  check(path: string): Promise<void>;
}

const wholeFileMiBMax = 32;

/** Access to every file that the program can reach, except its own. */
export function createFileAccess({ state }: Pick<Folders, "state">): FileAccess {
  return createAccess(async (place) => {
    const closed = [await realpath(state).catch(() => state), "/proc"];
    return !closed.some((folder) => isWithin(folder, place));
  });
}

/** Access to the checkout only, also through links. */
export function createProjectAccess({ project }: Pick<Folders, "project">): FileAccess {
  return createAccess(async (place) => isWithin(await realpath(project).catch(() => project), place));
}

const isWithin = (folder: string, place: string) => place === folder || place.startsWith(folder + sep);

/** Access to the files whose real path is open. */
function createAccess(isOpen: (place: string) => Promise<boolean>): FileAccess {
  async function requireOpen(place: string, path: string): Promise<void> {
    if (!(await isOpen(place)))
      throw Object.assign(new Error(`EACCES: permission denied, open '${path}'`), { code: "EACCES", path });
  }

  /** The real path of an open file. Without /proc, the real path of its name. */
  const readPlace = (file: FileHandle, path: string) =>
    readlink(`/proc/self/fd/${file.fd}`).catch(() => realpath(path));

  async function check(path: string): Promise<void> {
    const real = await realpath(path).catch(() => null);
    if (real !== null) return await requireOpen(real, path);
    if (dirname(path) !== path) await check(dirname(path));
  }

  async function openChecked(path: string, flags: number): Promise<FileHandle> {
    // Checked before the open as well, because the open would create the file.
    await check(path);
    const file = await open(path, flags | constants.O_NONBLOCK, 0o666);
    try {
      await requireOpen(await readPlace(file, path), path);
      return file;
    } catch (error) {
      await file.close();
      throw error;
    }
  }

  async function using<Result>(path: string, flags: number, use: (file: FileHandle) => Promise<Result>) {
    const file = await openChecked(path, flags);
    try {
      return await use(file);
    } finally {
      await file.close();
    }
  }

  return {
    check,
    reading: (path, use) => using(path, constants.O_RDONLY, async (file) => use(file, await readPlace(file, path))),
    readFile: (path) =>
      using(path, constants.O_RDONLY, async (file) => {
        if ((await requireFile(file, path)) > wholeFileMiBMax * 1_024 * 1_024)
          throw new Error(`${path} is larger than ${wholeFileMiBMax} MiB, which is too much for this tool.`);
        return await file.readFile();
      }),
    async *streamFile(path) {
      const file = await openChecked(path, constants.O_RDONLY);
      try {
        const size = await requireFile(file, path);
        // Some files of the kernel have content and the size 0.
        yield* file.createReadStream({ end: size > 0 ? size - 1 : Number.POSITIVE_INFINITY, autoClose: false });
      } finally {
        await file.close();
      }
    },
    write: (path, content) =>
      using(path, constants.O_WRONLY | constants.O_CREAT, async (file) => {
        await file.truncate();
        await file.writeFile(content);
      }),
    list: (path) =>
      using(path, constants.O_RDONLY | constants.O_DIRECTORY, async (file) =>
        readdir(`/proc/self/fd/${file.fd}`).catch(() => readdir(path)),
      ),
  };
}

/** The size of a regular file. Refuses anything else, because a device or a pipe may never end. */
async function requireFile(file: FileHandle, path: string): Promise<number> {
  const stats = await file.stat();
  if (!stats.isFile()) throw new Error(`Not a file: ${path}`);
  return stats.size;
}
