// The content of an artifact: a text from the agent, or a file of the sandbox. Secrets in text are
// redacted.
import type { FileHandle } from "node:fs/promises";
import { resolve } from "node:path";
import { type ArtifactKind, checkBodySize, isTextKind } from "../../../src/artifact/rules/artifact.ts";
import { isDrawing, sniffedBytes } from "../../../src/artifact/rules/media-type.ts";
import { artifactTextBytes } from "../../../src/rules/limits.ts";
import type { Redaction } from "../../../src/rules/redaction.ts";
import type { Folders } from "../../folders.ts";
import { isThere } from "../../presence.ts";
import type { OutputSource } from "../../transcript/long-output.ts";
import type { FileAccess } from "../file-access.ts";

/** A text as the content of a document or a mockup. */
export function toTextContent(kind: ArtifactKind, text: string, redaction: Redaction): Buffer {
  const content = Buffer.from(redaction.whole(text));
  checkSize(kind, content.length);
  return content;
}

/** A file as the content. A relative path starts at the checkout. */
export async function readFileContent(
  kind: ArtifactKind,
  { folders, files }: { folders: Folders; files: FileAccess },
  path: string,
  redaction: Redaction,
): Promise<OutputSource> {
  const missing = () => new Error(`There is no file ${path}.`);
  const found = resolve(folders.project, path);
  if (!isThere(found)) throw missing();
  return await files.reading(found, async (file, place) => {
    const state = await file.stat();
    if (!state.isFile()) throw missing();
    const { size } = state;
    checkSize(kind, size);
    if (isTextKind(kind) || (await isReadableDrawing(file, size)))
      return toTextContent(kind, decode(await readContent(file, size), path), redaction);
    return { path: place, bytes: size };
  });
}

/** The first bytes of a file, independent of the current read position. */
async function readContent(file: FileHandle, bytes: number): Promise<Buffer> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(bytes), 0, bytes, 0);
  return buffer.subarray(0, bytesRead);
}

function checkSize(kind: ArtifactKind, bytes: number): void {
  const refusal = checkBodySize(kind, bytes);
  if (refusal) throw new Error(refusal.message);
  if (bytes === 0) throw new Error("The artifact would be empty.");
}

async function isReadableDrawing(file: FileHandle, bytes: number): Promise<boolean> {
  if (!isDrawing(await readContent(file, sniffedBytes))) return false;
  if (bytes > artifactTextBytes) throw new Error(`A drawing holds at most ${artifactTextBytes} bytes.`);
  return true;
}

function decode(bytes: Buffer, path: string): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new Error(`${path} is no text in UTF-8.`);
  }
}
