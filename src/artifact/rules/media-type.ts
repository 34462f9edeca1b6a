// The media type of an artifact's file, determined by its first bytes and not by its name. Only
// types that browsers show without running scripts are accepted. An SVG can contain scripts, so it
// is shown as an image, and downloaded when it is opened separately.

import { type Refusal, refuse } from "../../rules/refusal.ts";
import type { MediaKind } from "./artifact.ts";

/** The number of bytes that are read from the start. */
export const sniffedBytes = 4_096;

const svg = "image/svg+xml";

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
/** An SVG, with an optional XML declaration, document type and comments before it. */
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

/**
 * Returns the media type of a file from its first bytes. BAD_REQUEST if it does not fit the given
 * kind.
 */
export function getMediaType(kind: MediaKind, start: Uint8Array): string | Refusal {
  const mediaType = byStart(start);
  if (mediaType?.startsWith(`${kind}/`)) return mediaType;
  const known = [...new Set(Object.values(endings))].filter((one) => one.startsWith(`${kind}/`)).join(", ");
  return refuse("BAD_REQUEST", `Browsers do not show this type of ${kind}. They show ${known}.`);
}

/** True for the start of an uncompressed SVG. */
export const isDrawing = (start: Uint8Array) => byStart(start) === svg;

function byStart(start: Uint8Array): string | null {
  const text = Array.from(start.subarray(0, sniffedBytes), (byte) => String.fromCharCode(byte)).join("");
  return signatures.find(([, signature]) => signature.test(text))?.[0] ?? (drawing.test(text) ? svg : null);
}

/** The Content-Disposition of a file. An SVG is a download, so that its scripts do not run. */
export function getContentDisposition(slug: string, mediaType: string): string {
  const [ending] = Object.entries(endings).find(([, known]) => known === mediaType) ?? ["bin"];
  return `${mediaType === svg ? "attachment" : "inline"}; filename="${slug}.${ending}"`;
}
