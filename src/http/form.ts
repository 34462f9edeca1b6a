// Reads multipart/form-data bodies. Files are streamed to the attachment store, so that no file is
// ever completely in memory. If the form is refused, its files are deleted from the store.

import {
  checkAttachmentCount,
  checkAttachmentPlace,
  checkAttachmentSize,
  parseAttachmentPlace,
  toAttachmentMediaType,
  toAttachmentName,
} from "../chat/rules/attachment.ts";
import type { Attachment } from "../chat/rules/message.ts";
import { toBase64Url } from "../lib/base64url.ts";
import { bodyMemory, memoryIsFull, receiveBytes } from "../lib/byte-budget.ts";
import { createStreamError, discardRest, findStreamRefusal, readBodyBytes, withCheck } from "../lib/byte-stream.ts";
import { attachmentBytes, attachmentCount, formParts, formWaitMs, jsonBodyBytes } from "../rules/limits.ts";
import { isRefusal, type Refusal, refuse, refuseField } from "../rules/refusal.ts";
import { findBoundary, type Part, readParts } from "./multipart.ts";

/** Stores the files of a form. */
export interface AttachmentStore {
  put(file: Pick<Attachment, "name" | "mediaType">, bytes: AsyncIterable<Uint8Array>): Promise<Attachment | Refusal>;
  /** Called once, after the last file of a form. */
  settle(attachments: Attachment[]): Promise<void>;
  drop(attachments: Attachment[]): Promise<void>;
}

export interface Form {
  fields: Record<string, string>;
  /** The fields that may be repeated, each with its texts in order. */
  lists: Record<string, string[]>;
  attachments: Attachment[];
  /** The SHA-256 of each file, if requested. */
  fileHashes: string[];
}

interface Placed {
  place: number;
  attachment: Attachment;
  hash: string | null;
}

/** The size of the longest valid form. A longer form is not read beyond this. */
export const formBytes = attachmentCount * attachmentBytes + jsonBodyBytes;

interface FormOptions {
  store: AttachmentStore;
  /** True if a hash of each file is needed. */
  isHashed: boolean;
  /** The names of the text fields that may be repeated. */
  lists?: readonly string[] | undefined;
}

/** Reads a form and stores its files. */
export async function readForm(
  request: Request,
  { store, isHashed, lists: listed = [] }: FormOptions,
): Promise<Form | Refusal> {
  const boundary = findBoundary(request.headers.get("content-type") ?? "");
  if (boundary === null || !request.body) {
    return refuseField("", "is multipart/form-data without a boundary, or empty");
  }
  const fields = new Map<string, string>();
  const lists = new Map<string, string[]>();
  const files: Placed[] = [];
  const attachments = () => files.map(({ attachment }) => attachment);
  try {
    const body = withCheck(readBodyBytes(request.body, { wholeMs: formWaitMs }), (passed) =>
      passed > formBytes ? refuse("PAYLOAD_TOO_LARGE") : null,
    );
    let textBytes = 0;
    let parts = 0;
    for await (const part of readParts(body, boundary)) {
      parts += 1;
      if (parts > formParts) throw mistaken("", `has more than ${formParts} parts`);
      const place = parseAttachmentPlace(part.name);
      if (place === null) {
        if (fields.has(part.name)) throw mistaken(part.name, "comes more than once");
        const read = await readText(part, jsonBodyBytes - textBytes, request);
        textBytes += read.bytes;
        if (!listed.includes(part.name)) fields.set(part.name, read.text);
        else if (!lists.get(part.name)?.push(read.text)) lists.set(part.name, [read.text]);
      } else {
        if (files.some((file) => file.place === place)) throw mistaken(part.name, "comes more than once");
        files.push(await saveFile(part, place, store, isHashed));
      }
    }
    const refusal = checkAttachmentCount(fields.get("attachmentCount"), files.length);
    if (refusal) throw createStreamError(refusal);
    await store.settle(attachments());
  } catch (error) {
    await store.drop(attachments());
    const refusal = findStreamRefusal(error);
    if (!refusal) throw error;
    await discardRest(request.body, formBytes, { wholeMs: formWaitMs });
    return refusal;
  }
  // `attachmentCount` is a checksum of the form, not a field of the body.
  fields.delete("attachmentCount");
  files.sort((one, other) => one.place - other.place);
  return {
    fields: Object.fromEntries(fields),
    lists: Object.fromEntries(lists),
    attachments: attachments(),
    fileHashes: files.flatMap(({ hash }) => hash ?? []),
  };
}

/** Reads a text field. The size includes its name. */
async function readText(
  { name, fileName, bytes }: Part,
  mostBytes: number,
  request: Request,
): Promise<{ text: string; bytes: number }> {
  if (/^attachment_/.test(name)) throw mistaken(name, "is not a field that takes a file");
  if (fileName !== null) throw mistaken(name, "takes no file: send files as attachment_0, attachment_1 and so on");
  const held = receiveBytes(request, mostBytes, bodyMemory);
  let taken = new TextEncoder().encode(name).length;
  // An empty text has no chunk.
  if (taken > mostBytes) throw tooLarge();
  for await (const chunk of bytes) {
    taken += chunk.length;
    if (taken > mostBytes) throw tooLarge();
    if (!held.add(chunk)) throw createStreamError(memoryIsFull);
  }
  try {
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(held.bytes());
    // Browsers write each line end of a form's texts as CRLF.
    return { text: text.replaceAll("\r\n", "\n"), bytes: taken };
  } catch {
    throw mistaken(name, "is not UTF-8");
  }
}

async function saveFile(part: Part, place: number, store: AttachmentStore, isHashed: boolean): Promise<Placed> {
  if (part.fileName === null) throw mistaken(part.name, "takes a file, with its name");
  const refusal = checkAttachmentPlace(place);
  if (refusal) throw createStreamError(refusal);
  const name = toAttachmentName(part.fileName);
  const bytes = withCheck(part.bytes, (passed) => checkAttachmentSize(name, passed));
  const sum = isHashed ? createSum() : null;
  const file = { name, mediaType: toAttachmentMediaType(part.mediaType) };
  try {
    const attachment = await store.put(file, sum ? summed(bytes, sum) : bytes);
    if (isRefusal(attachment)) throw createStreamError(attachment);
    return { place, attachment, hash: sum && (await sum.result()) };
  } catch (error) {
    await sum?.giveUp();
    throw error;
  }
}

async function* summed(bytes: AsyncIterable<Uint8Array>, sum: Sum): AsyncGenerator<Uint8Array, void> {
  for await (const chunk of bytes) {
    await sum.add(chunk);
    yield chunk;
  }
}

type Sum = ReturnType<typeof createSum>;

/** An incremental SHA-256. */
function createSum() {
  const stream = new crypto.DigestStream("SHA-256");
  const writer = stream.getWriter();
  return {
    add: (chunk: Uint8Array) => writer.write(chunk),
    async result(): Promise<string> {
      await writer.close();
      return toBase64Url(new Uint8Array(await stream.digest));
    },
    async giveUp(): Promise<void> {
      stream.digest.catch(() => undefined);
      await writer.abort().catch(() => undefined);
    },
  };
}

const tooLarge = () => createStreamError(refuse("PAYLOAD_TOO_LARGE"));

function mistaken(field: string, what: string): Error {
  return createStreamError(refuseField(field, what));
}
