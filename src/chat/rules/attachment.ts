// Attachments: the limits on the files of a message, and their names (Part 1, "Send body" and
// "Limits").

import { attachmentBytes, attachmentCount } from "../../rules/limits.ts";
import { type Refusal, refuse, refuseField } from "../../rules/refusal.ts";
import { toFirstCodePoints } from "../../rules/text.ts";

/** The index of a form's file field, from 0; null for any other field. */
export function parseAttachmentPlace(fieldName: string): number | null {
  const [, place] = /^attachment_(0|[1-9]\d{0,5})$/.exec(fieldName) ?? [];
  return place === undefined ? null : Number(place);
}

/** Refuses a file beyond the limit. */
export function checkAttachmentPlace(place: number): Refusal | null {
  if (place < attachmentCount) return null;
  return refuse("BAD_REQUEST", `A message takes at most ${attachmentCount} files, attachment_0 to attachment_9.`);
}

/** Refuses a file that is too large. `bytes` is the size so far. */
export function checkAttachmentSize(name: string, bytes: number): Refusal | null {
  if (bytes <= attachmentBytes) return null;
  return refuse(
    "BAD_REQUEST",
    `The file ${name} is larger than ${attachmentBytes.toLocaleString("en-US")} bytes. Send a smaller one.`,
  );
}

/** Refuses a message that arrived with fewer or more files than it declares. */
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

/**
 * A file name that is safe in a header and on a disk: no path, no control characters, limited
 * length.
 */
export function toAttachmentName(sent: string): string {
  const last = sent.split(/[/\\]/).at(-1) ?? "";
  const name = last.replace(/\p{Cc}/gu, "").trim();
  if (/^\.*$/.test(name)) return "attachment";
  return toFirstCodePoints(name.toWellFormed(), nameCharacters);
}

/** The media type that the sender declares, if it is well-formed. */
export function toAttachmentMediaType(sent: string | null): string {
  return sent !== null && mediaTypeShape.test(sent) ? sent : "application/octet-stream";
}
