// The archive: the sandbox's folder as one gzipped tar, streamed out before a pause and restored on a wake.
import { type ChildProcess, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, rename, rm } from "node:fs/promises";
import type { IncomingMessage, ServerResponse } from "node:http";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { archivedFolders, type Folders } from "./folders.ts";
import { refusal } from "./refusal.ts";

/** Speed matters more than size: an archive is made at every pause. */
const gzipLevel = "1";
/** How tar ends when a file changed while it was read: the archive is whole all the same. */
const tarChangedExitCode = 1;

/** Streams the archive into the response. One that cannot be finished is broken off, so that it is never taken for whole. */
export async function sendArchive(folders: Folders, response: ServerResponse): Promise<void> {
  const present = archivedFolders.filter((name) => existsSync(join(folders.root, name)));
  const tar = spawn("tar", ["--create", "--use-compress-program", `gzip -${gzipLevel}`, "--file=-", "--", ...present], {
    cwd: folders.root,
    env: tarEnvironment(),
    stdio: ["ignore", "pipe", "ignore"],
  });
  response.writeHead(200, { "content-type": "application/gzip" });
  const ended = exitOf(tar);
  try {
    await pipeline(tar.stdout, response, { end: false });
    const exitCode = await ended;
    if (exitCode > tarChangedExitCode) throw new Error(`tar ended with ${exitCode}.`);
    response.end();
  } catch (error) {
    tar.kill("SIGKILL");
    response.destroy();
    throw error;
  }
}

/** Restores an archive into a sandbox that holds no checkout yet. Unpacks beside it first: a broken archive changes nothing. */
export async function restoreArchive(folders: Folders, request: IncomingMessage): Promise<void> {
  if (existsSync(folders.project)) throw refusal("BAD_CALL", "An archive is restored into an empty sandbox only.");
  const unpacked = join(folders.tmp, "archive");
  await rm(unpacked, { recursive: true, force: true });
  await mkdir(unpacked, { recursive: true });
  const tar = spawn("tar", ["--extract", "--gzip", "--preserve-permissions", "--no-same-owner", "--file=-"], {
    cwd: unpacked,
    env: tarEnvironment(),
    stdio: ["pipe", "ignore", "ignore"],
  });
  const ended = exitOf(tar);
  try {
    await pipeline(request, tar.stdin);
  } catch {
    tar.kill("SIGKILL");
  }
  if ((await ended) !== 0 || !existsSync(join(unpacked, "state"))) {
    await rm(unpacked, { recursive: true, force: true });
    throw refusal("ARCHIVE_UNREADABLE", "The archive is broken or incomplete.");
  }
  // The project comes last: with it the sandbox is no longer empty.
  for (const name of archivedFolders) {
    if (!existsSync(join(unpacked, name))) continue;
    await rm(join(folders.root, name), { recursive: true, force: true });
    await rename(join(unpacked, name), join(folders.root, name));
  }
  await rm(unpacked, { recursive: true, force: true });
}

const tarEnvironment = () => ({ PATH: process.env.PATH ?? "/usr/bin:/bin", LC_ALL: "C.UTF-8" });

function exitOf(child: ChildProcess): Promise<number> {
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code) => resolve(code ?? 137));
  });
}
