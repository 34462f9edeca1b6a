// Deletes a folder with all its content, including read-only folders. Package caches contain many
// of those.
import { execFile } from "node:child_process";
import { rm } from "node:fs/promises";
import { promisify } from "node:util";

const run = promisify(execFile);

/** Deletes a folder. Does nothing if it is missing. */
export async function deleteFolder(path: string): Promise<void> {
  const remove = () => rm(path, { recursive: true, force: true, maxRetries: 5 });
  try {
    await remove();
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : "";
    if (code !== "EACCES" && code !== "EPERM") throw error;
    // A failed chmod is ignored: the second attempt reports what is still in the way.
    await run("chmod", ["-R", "u+rwX", "--", path], { env: { PATH: process.env.PATH ?? "/usr/bin:/bin" } }).catch(
      () => {},
    );
    await remove();
  }
}
