// Attachments: which files a message may bring, and what they are called (Part 1, "Send body" and "Limits").
import { attachmentBytes, attachmentCount } from "../limits.ts";
import { type Refusal, refuse, refuseField } from "../refusal.ts";

/** The place of the file that a form's field brings, from 0 on; null for a field that brings none. */
export function attachmentPlace(fieldName: string): number | null {
  const [, place] = /^attachment_(0|[1-9]\d{0,5})$/.exec(fieldName) ?? [];
  return place === undefined ? null : Number(place);
}

/** Refuses the file that is one too many. */
export function checkAttachmentPlace(place: number): Refusal | null {
  if (place < attachmentCount) return null;
  return refuse("BAD_REQUEST", `A message takes at most ${attachmentCount} files, attachment_0 to attachment_9.`);
}

/** Refuses a file that is too large; `bytes` are those that came so far. */
export function checkAttachmentSize(name: string, bytes: number): Refusal | null {
  if (bytes <= attachmentBytes) return null;
  return refuse("BAD_REQUEST", `The file ${name} is larger than ${attachmentBytes} bytes. Send it smaller.`);
}

/** Refuses a message some of whose files were lost on the way. */
export function checkAttachmentCount(claimed: string | undefined, sent: number): Refusal | null {
  if (claimed === undefined) return null;
  if (!/^\d{1,9}$/.test(claimed)) {
    return refuseField("attachmentCount", "must be a whole number");
  }
  const count = Number(claimed);
  if (count === sent) return null;
  return refuse(
    "BAD_REQUEST",
    `attachmentCount says ${count}, but ${sent} came. Send all files, and how many they are.`,
  );
}

const nameCharacters = 255;
const mediaTypeShape = /^[\w!#$&^.+-]{1,127}\/[\w!#$&^.+-]{1,127}(?:\s*;[\x20-\x7e]{0,200})?$/;

/** A file's name as it may stand in a header or on a disk: no path, no control characters, not too long. */
export function attachmentName(sent: string): string {
  const last = sent.split(/[/\\]/).at(-1) ?? "";
  const name = last.replace(/\p{Cc}/gu, "").trim();
  if (/^\.*$/.test(name)) return "attachment";
  // An ending that a cut character left half of is no text.
  return name
    .slice(0, nameCharacters)
    .toWellFormed()
    .replace(/\ufffd$/, "");
}

/** What a file is: what its sender says, as long as that is a media type. */
export function attachmentMediaType(sent: string | null): string {
  return sent !== null && mediaTypeShape.test(sent) ? sent : "application/octet-stream";
}
