// The content of an artifact: a text that the agent gives, or a file of the sandbox. Secrets are hidden in whatever is text.
import { open, readFile, stat } from "node:fs/promises";
import { resolve } from "node:path";
import { type ArtifactKind, checkBodySize, isTextKind } from "../../../src/rules/artifact/artifact.ts";
import { isDrawing, tellingBytes } from "../../../src/rules/artifact/media-type.ts";
import { artifactTextBytes } from "../../../src/rules/limits.ts";
import type { OutputSource } from "../../transcript/long-output.ts";
import type { Redaction } from "../../transcript/redaction.ts";

/** A text as the content of a document or a mockup. */
export function contentOfText(kind: ArtifactKind, text: string, redaction: Redaction): Buffer {
  const content = Buffer.from(redaction.whole(text));
  checkSize(kind, content.length);
  return content;
}

/** A file as the content; a path that is not absolute leads from the checkout. */
export async function contentOfFile(
  kind: ArtifactKind,
  project: string,
  path: string,
  redaction: Redaction,
): Promise<OutputSource> {
  const file = resolve(project, path);
  // Asked before it is opened: opening a pipe would wait for somebody to write to it.
  const found = await stat(file).catch(() => null);
  if (!found?.isFile()) throw new Error(`There is no file ${path}.`);
  checkSize(kind, found.size);
  if (isTextKind(kind) || (await isReadableDrawing(file, found.size)))
    return contentOfText(kind, decode(await readFile(file), path), redaction);
  return { path: file, bytes: found.size };
}

function checkSize(kind: ArtifactKind, bytes: number): void {
  const refusal = checkBodySize(kind, bytes);
  if (refusal) throw new Error(refusal.message);
  if (bytes === 0) throw new Error("The artifact would be empty.");
}

async function isReadableDrawing(file: string, bytes: number): Promise<boolean> {
  const opened = await open(file);
  try {
    const { buffer, bytesRead } = await opened.read(Buffer.alloc(tellingBytes), 0, tellingBytes, 0);
    if (!isDrawing(buffer.subarray(0, bytesRead))) return false;
  } finally {
    await opened.close();
  }
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
