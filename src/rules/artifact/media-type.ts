// What the file of an artifact is: told by its first bytes, whatever it is called. Only what a browser shows and runs no script of is taken; a drawing that can hold scripts is shown as an image, and saved when it is opened by itself.

import { type Refusal, refuse } from "../refusal.ts";
import type { MediaKind } from "./artifact.ts";

/** So many bytes from the beginning tell. */
export const tellingBytes = 4_096;

export const svg = "image/svg+xml";

const signatures: [mediaType: string, signature: RegExp][] = [
  ["image/png", /^\x89PNG\r\n.\n/],
  ["image/jpeg", /^\xff\xd8\xff/],
  ["image/gif", /^GIF8[79]a/],
  ["image/webp", /^RIFF[\s\S]{4}WEBP/],
  ["image/avif", /^\0[\s\S]{3}ftypavi[fs]/],
  ["video/quicktime", /^\0[\s\S]{3}(?:ftypqt {2}|moov|mdat|wide|free|skip)/],
  ["video/mp4", /^\0[\s\S]{3}ftyp(?!hei|hev|mif|msf|M4A)/],
  ["video/webm", /^.E\xdf\xa3[\s\S]{0,100}webm/],
];
/** Behind a declaration, a document type and comments. */
const drawing =
  /^(?:\xef\xbb\xbf)?(?:\s|<\?[^>]*\?>|<!doctype[^>[]*(?:\[[^\]]*\][^>]*)?>|<!--(?:(?!-->)[\s\S])*-->)*<svg[\s>]/i;

const endings: Record<string, string> = {
  png: "image/png",
  jpg: "image/jpeg",
  gif: "image/gif",
  webp: "image/webp",
  avif: "image/avif",
  svg,
  mp4: "video/mp4",
  mov: "video/quicktime",
  webm: "video/webm",
};

/** The media type of a file, by its first bytes. */
export function mediaTypeOf(kind: MediaKind, start: Uint8Array): string | Refusal {
  const mediaType = byStart(start);
  if (mediaType?.startsWith(`${kind}/`)) return mediaType;
  const known = [...new Set(Object.values(endings))].filter((one) => one.startsWith(`${kind}/`)).join(", ");
  return refuse("BAD_REQUEST", `The file is no ${kind} that browsers show. Known are ${known}.`);
}

/** True for the beginning of a drawing whose text can be read. */
export const isDrawing = (start: Uint8Array) => byStart(start) === svg;

function byStart(start: Uint8Array): string | null {
  const text = Array.from(start.subarray(0, tellingBytes), (byte) => String.fromCharCode(byte)).join("");
  return signatures.find(([, signature]) => signature.test(text))?.[0] ?? (drawing.test(text) ? svg : null);
}

/** How the file is handed out: under a name of its own, and a drawing for saving alone, so that none of its scripts runs. */
export function dispositionOf(slug: string, mediaType: string): string {
  const [ending] = Object.entries(endings).find(([, known]) => known === mediaType) ?? ["bin"];
  return `${mediaType === svg ? "attachment" : "inline"}; filename="${slug}.${ending}"`;
}
