// Deletes a folder with all its content, including read-only folders, of which package caches
// contain many, and folders that are too deep for a path.
import { execFile } from "node:child_process";
import { lstat, rm } from "node:fs/promises";
import { promisify } from "node:util";

const run = promisify(execFile);

/** Deletes a folder. Does nothing if it is missing. */
export async function deleteFolder(path: string): Promise<void> {
  try {
    await rm(path, { recursive: true, force: true, maxRetries: 5 });
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : "";
    if (!["EACCES", "EPERM", "ENAMETOOLONG"].includes(code)) throw error;
    const options = { env: { PATH: process.env.PATH ?? "/usr/bin:/bin" } };
    // A failed chmod is ignored: the second attempt reports what is still in the way. It would
    // follow a link.
    if (!(await lstat(path)).isSymbolicLink()) await run("chmod", ["-R", "u+rwX", "--", path], options).catch(() => {});
    // It goes from folder to folder, so that no path is too long.
    await run("rm", ["-rf", "--", path], options);
  }
}
