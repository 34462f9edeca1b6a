// Reads and writes one text file of the project.
import { createHash } from "node:crypto";
import { constants } from "node:fs";
import { type FileHandle, lstat, open, rename, rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import type { FileContent, FileWrite } from "../../src/sandbox-protocol/protocol.ts";
import type { Folders } from "../folders.ts";
import { createRefusal, isRefusal } from "../http/refusal.ts";
import { requireOpenedInProject, resolveInProject } from "./project-path.ts";

/** The longest writable text in bytes, whatever its characters. */
const readableBytes = 4 * 1_024 * 1_024;

/** Reads a text file. */
export async function readProjectFile(folders: Folders, path: string): Promise<FileContent> {
  const real = await resolveInProject(folders.project, path);
  const file = await openAsItIs(real, path);
  try {
    await requireOpenedInProject(folders.project, file, real);
    const found = await file.stat();
    if (!found.isFile()) throw notAFile(path);
    if (found.size > readableBytes)
      throw createRefusal("BINARY_CONTENT", `${path} is larger than ${readableBytes} bytes.`);
    return { content: decode(await file.readFile(), path) };
  } finally {
    await file.close();
  }
}

const notAFile = (path: string) => createRefusal("NOT_FOUND", `${path} is not a file.`);

/** Opens a file without following a final link, and without blocking on a named pipe. */
async function openAsItIs(real: string, path: string, more = 0): Promise<FileHandle> {
  const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants;
  return await open(real, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | more).catch((error: unknown) => {
    const code = error instanceof Error && "code" in error ? String(error.code) : "";
    throw ["ENOENT", "ELOOP", "ENXIO", "ENOTDIR"].includes(code) ? notAFile(path) : error;
  });
}

function decode(bytes: Buffer, path: string): string {
  const isText = !bytes.includes(0);
  if (!isText) throw createRefusal("BINARY_CONTENT", `${path} is not a text file.`);
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw createRefusal("BINARY_CONTENT", `${path} is not a text in UTF-8.`);
  }
}

/**
 * Replaces the text of an existing file atomically. Its mode stays the same. With a hash, it
 * replaces only that content. Calls must not overlap.
 */
export async function writeProjectFile(folders: Folders, write: FileWrite): Promise<void> {
  const real = await resolveInProject(folders.project, write.path);
  const found = await lstat(real).catch(() => null);
  if (!found?.isFile()) throw notAFile(write.path);
  const folder = await openAsItIs(dirname(real), write.path, constants.O_DIRECTORY);
  const unfinished = join(folders.tmp, crypto.randomUUID());
  try {
    const place = await requireOpenedInProject(folders.project, folder, dirname(real));
    const file = await open(unfinished, "wx", found.mode & 0o7777);
    try {
      await file.writeFile(write.content, "utf8");
      // The process's umask has restricted the mode given to `open`.
      await file.chmod(found.mode & 0o7777);
      await file.sync();
    } finally {
      await file.close();
    }
    if (write.baseHash !== undefined && write.baseHash !== (await hashFile(join(place, basename(real)), write.path)))
      throw createRefusal("FILE_CHANGED", `${write.path} has changed since you read it. Read it again first.`);
    await rename(unfinished, join(place, basename(real)));
  } catch (error) {
    await rm(unfinished, { force: true });
    if (isRefusal(error)) throw error;
    const why = error instanceof Error && "code" in error ? ` (${error.code})` : "";
    throw createRefusal("WRITE_FAILED", `${write.path} could not be written${why}.`);
  } finally {
    await folder.close();
  }
}

/**
 * The SHA-256 of a file. Of a longer file than can be read, it is only of the beginning, so it is
 * never that of a content that was read.
 */
async function hashFile(real: string, path: string): Promise<string> {
  const file = await openAsItIs(real, path);
  try {
    if (!(await file.stat()).isFile()) throw notAFile(path);
    const hash = createHash("sha256");
    for await (const piece of file.createReadStream({ autoClose: false, end: readableBytes })) hash.update(piece);
    return hash.digest("hex");
  } finally {
    await file.close();
  }
}
