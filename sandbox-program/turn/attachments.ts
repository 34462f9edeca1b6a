// Downloads the attachments of a message into a folder next to the checkout, where the agent's
// tools can read them.
import { constants } from "node:fs";
import { type FileHandle, mkdir, open, rename, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { Readable, Transform } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { AttachedFile } from "../../src/sandbox-protocol/protocol.ts";
import type { AgentImage } from "../agent/agent.ts";
import type { Folders } from "../folders.ts";
import { fetchFromService } from "../http/service-fetch.ts";

export interface StoredFile {
  path: string;
  mediaType: string;
  byteSize: number;
}

const attempts = 2;
const attemptTimeoutMs = 60_000;
const nameCharactersMax = 120;
/**
 * Encoded as base64, this is the providers' limit for one image, and for all images of a message.
 */
const imageBytesMax = 3_750_000;
const imagesBytesMax = 15_000_000;

/** Downloads the files that are missing. Throws a readable error if one is unavailable. */
export async function saveAttachments(
  folders: Folders,
  files: AttachedFile[],
  token: string,
  signal: AbortSignal,
): Promise<StoredFile[]> {
  return await Promise.all(
    files.map(async (file) => {
      const folder = join(folders.shared, "attachments", file.id);
      const path = join(folder, toSafeName(file.name));
      if (!(await isWhole(path, file.byteSize))) {
        await mkdir(folder, { recursive: true });
        await download(file, path, token, signal);
      }
      return { path, mediaType: plainMediaType(file.mediaType), byteSize: file.byteSize };
    }),
  );
}

/**
 * A safe file name: without separators, leading dots and unprintable characters, and of limited
 * length.
 */
export function toSafeName(name: string): string {
  const plain = name
    .replace(/[/\\\p{Cc}\p{Cf}]/gu, "_")
    .replace(/^[.\s-]+/, "")
    .trim();
  const characters = [...plain.toWellFormed()];
  if (characters.length === 0) return "file";
  if (characters.length <= nameCharactersMax) return characters.join("");
  // The file extension is preserved, because it names the type of the file.
  const ending = /\.[A-Za-z0-9]{1,10}$/.exec(plain)?.[0] ?? "";
  return `${characters.slice(0, nameCharactersMax - ending.length).join("")}${ending}`;
}

const plainMediaType = (mediaType: string) => mediaType.replace(/[^\w.+/-].*$/s, "") || "application/octet-stream";

async function isWhole(path: string, byteSize: number): Promise<boolean> {
  const found = await stat(path).catch(() => null);
  return found?.isFile() === true && found.size === byteSize;
}

async function download(file: AttachedFile, path: string, token: string, signal: AbortSignal): Promise<void> {
  const unfinished = `${path}.part`;
  let reason = "";
  for (let attempt = 0; attempt < attempts && !signal.aborted; attempt++) {
    try {
      await downloadOnce(file, unfinished, token, AbortSignal.any([signal, AbortSignal.timeout(attemptTimeoutMs)]));
      await rename(unfinished, path);
      return;
    } catch (error) {
      reason = error instanceof Error ? error.message : String(error);
      await rm(unfinished, { force: true });
    }
  }
  throw new Error(
    `The attached file ${toSafeName(file.name)} could not be fetched: ${reason || "the turn was stopped"}`,
  );
}

async function downloadOnce(file: AttachedFile, path: string, token: string, signal: AbortSignal): Promise<void> {
  const headers = { authorization: `Bearer ${token}` };
  const answer = await fetchFromService(file.url, { headers, signal });
  if (!answer.ok || !answer.body) {
    await answer.body?.cancel();
    throw new Error(`the service answered ${answer.status}.`);
  }
  let bytes = 0;
  const counted = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      bytes += chunk.length;
      if (bytes > file.byteSize) done(new Error(`more than its ${file.byteSize} bytes came.`));
      else done(null, chunk);
    },
  });
  // The agent can write to this folder, so a link in it is never followed.
  const { O_WRONLY, O_CREAT, O_TRUNC, O_NOFOLLOW } = constants;
  const stored = await open(path, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW, 0o600);
  await pipeline(Readable.fromWeb(answer.body), counted, stored.createWriteStream(), { signal });
  if (bytes !== file.byteSize) throw new Error(`${bytes} of its ${file.byteSize} bytes came.`);
}

/**
 * The images for the model. An invalid image is left out, because the provider would reject every
 * later request of the conversation.
 */
export async function readImages(files: StoredFile[]): Promise<AgentImage[]> {
  const images: AgentImage[] = [];
  let total = 0;
  for (const { path, byteSize } of files) {
    if (byteSize > imageBytesMax || total + byteSize > imagesBytesMax) continue;
    const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW);
    try {
      const mediaType = await findImageType(file);
      if (mediaType === null) continue;
      total += byteSize;
      images.push({ mediaType, base64: (await file.readFile()).toString("base64") });
    } finally {
      await file.close();
    }
  }
  return images;
}

const imageSignatures: [mediaType: string, signature: RegExp][] = [
  ["image/png", /^.PNG\r\n.\n/s],
  ["image/jpeg", /^\xff\xd8\xff/],
  ["image/gif", /^GIF8[79]a/],
  ["image/webp", /^RIFF.{4}WEBP/s],
];

async function findImageType(file: FileHandle): Promise<string | null> {
  const start = Buffer.alloc(16);
  await file.read(start, 0, start.length, 0);
  const text = start.toString("latin1");
  return imageSignatures.find(([, signature]) => signature.test(text))?.[0] ?? null;
}
