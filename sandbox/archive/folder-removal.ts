// Removing a folder with whatever is in it, folders that forbid it included: package caches are full of them.
import { execFile } from "node:child_process";
import { rm } from "node:fs/promises";
import { promisify } from "node:util";

const run = promisify(execFile);

/** Removes a folder; it need not be there. */
export async function removeFolder(path: string): Promise<void> {
  const remove = () => rm(path, { recursive: true, force: true, maxRetries: 5 });
  try {
    await remove();
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : "";
    if (code !== "EACCES" && code !== "EPERM") throw error;
    // What cannot be opened for us stays closed; the second try says so.
    await run("chmod", ["-R", "u+rwX", "--", path], { env: { PATH: process.env.PATH ?? "/usr/bin:/bin" } }).catch(
      () => {},
    );
    await remove();
  }
}
