// Reading and writing one text file of the project.
import { open, readFile, rename, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import type { FileContent, FileWrite } from "../src/sandbox/protocol.ts";
import type { Folders } from "./folders.ts";
import { resolveInProject } from "./project-path.ts";
import { refusal } from "./refusal.ts";

/** No text of the most characters that may be written is longer than this. */
const readableBytes = 4 * 1_024 * 1_024;

/** The text of a file. */
export async function readProjectFile(folders: Folders, path: string): Promise<FileContent> {
  const real = await resolveInProject(folders.project, path);
  // Asked before it is opened: opening a pipe would wait for somebody to write to it.
  const found = await stat(real);
  if (!found.isFile()) throw refusal("NOT_FOUND", `${path} is not a file.`);
  if (found.size > readableBytes) throw refusal("BINARY_CONTENT", `${path} is larger than ${readableBytes} bytes.`);
  return { content: decode(await readFile(real), path) };
}

function decode(bytes: Buffer, path: string): string {
  const isText = !bytes.includes(0);
  if (!isText) throw refusal("BINARY_CONTENT", `${path} is not a text file.`);
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw refusal("BINARY_CONTENT", `${path} is not a text in UTF-8.`);
  }
}

/** Replaces the text of an existing file in one step; its mode stays. */
export async function writeProjectFile(folders: Folders, write: FileWrite): Promise<void> {
  const real = await resolveInProject(folders.project, write.path);
  const found = await stat(real);
  if (!found.isFile()) throw refusal("NOT_FOUND", `${write.path} is not a file.`);
  const unfinished = join(folders.tmp, crypto.randomUUID());
  try {
    const file = await open(unfinished, "wx", found.mode & 0o7777);
    try {
      await file.writeFile(write.content, "utf8");
      // The mode given at the opening is narrowed by the process's mask.
      await file.chmod(found.mode & 0o7777);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(unfinished, real);
  } catch (error) {
    await rm(unfinished, { force: true });
    const why = error instanceof Error && "code" in error ? ` (${error.code})` : "";
    throw refusal("WRITE_FAILED", `${write.path} could not be written${why}.`);
  }
}
