// The files as the agent's own tools reach them. The tools run in the program, which sees more than a command of the agent: its state, and
// what the kernel shows of a process to itself. A file is judged by where it lies once it is open, whatever links led there.
import { constants } from "node:fs";
import { type FileHandle, open, readdir, readlink, realpath } from "node:fs/promises";
import { dirname, sep } from "node:path";
import type { Folders } from "../folders.ts";

export interface FileAccess {
  /** Opens a file to be read, and answers what `use` makes of it. */
  reading<Result>(path: string, use: (file: FileHandle, place: string) => Promise<Result>): Promise<Result>;
  /** Puts a text in the place of a file's content; the file need not be there. */
  write(path: string, content: string): Promise<void>;
  /** The names in a folder. */
  list(path: string): Promise<string[]>;
  /** Refuses a path that leads to where only the program may look. Its end need not be there. */
  check(path: string): Promise<void>;
}

/** Access to whatever the program may reach, but for what is its own. */
export function openFileAccess({ state }: Pick<Folders, "state">): FileAccess {
  async function requireOpen(place: string, path: string): Promise<void> {
    const closed = [await realpath(state).catch(() => state), "/proc"];
    if (closed.some((folder) => place === folder || place.startsWith(folder + sep)))
      throw Object.assign(new Error(`EACCES: permission denied, open '${path}'`), { code: "EACCES" });
  }

  /** Where a file lies that is open. A machine that does not tell is asked for the path's. */
  const placeOf = (file: FileHandle, path: string) => readlink(`/proc/self/fd/${file.fd}`).catch(() => realpath(path));

  async function check(path: string): Promise<void> {
    const real = await realpath(path).catch(() => null);
    if (real !== null) return await requireOpen(real, path);
    if (dirname(path) !== path) await check(dirname(path));
  }

  async function using<Result>(path: string, flags: number, use: (file: FileHandle) => Promise<Result>) {
    // Asked before as well, so that nothing is made where nothing may be.
    await check(path);
    const file = await open(path, flags | constants.O_NONBLOCK, 0o666);
    try {
      await requireOpen(await placeOf(file, path), path);
      return await use(file);
    } finally {
      await file.close();
    }
  }

  return {
    check,
    reading: (path, use) => using(path, constants.O_RDONLY, async (file) => use(file, await placeOf(file, path))),
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
