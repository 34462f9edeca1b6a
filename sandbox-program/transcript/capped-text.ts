// Cuts a text to a size that may be stored: keeps its beginning and its end, with a note about the
// missing middle.
const startShare = 0.25;

/** The note about a missing middle. */
export const middleLeftOut = "the middle is left out";

/** Cuts a text to `limitBytes`. */
export function capText(text: string, limitBytes: number): string {
  const buffer = Buffer.from(text);
  if (buffer.length <= limitBytes) return text;
  return joinEnds({ start: buffer, end: buffer, bytes: buffer.length }, limitBytes, middleLeftOut);
}

/** The beginning and the end of a long text, each at least `limitBytes` long. */
export interface TextEnds {
  start: Buffer;
  end: Buffer;
  /** The length of the whole text. */
  bytes: number;
}

/** Joins the beginning and the end within `limitBytes`, with the note `words` between them. */
export function joinEnds({ start, end, bytes }: TextEnds, limitBytes: number, words: string): string {
  const note = `\n[… ${bytes} bytes in all; ${words} …]\n`;
  const room = limitBytes - Buffer.byteLength(note);
  const startEnd = characterStart(start, Math.floor(room * startShare));
  const tailStart = characterEnd(end, end.length - (room - startEnd));
  return `${start.toString("utf8", 0, startEnd)}${note}${end.toString("utf8", tailStart)}`;
}

/** Cuts every text within a value. */
export function capTexts(value: unknown, limitBytes: number): unknown {
  if (typeof value === "string") return capText(value, limitBytes);
  if (Array.isArray(value)) return value.map((item: unknown) => capTexts(item, limitBytes));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, capTexts(item, limitBytes)]));
}

/** The longest start of a text that fits into `roomBytes`, in whole characters. */
export function startOfText(text: string, roomBytes: number): string {
  if (text.length * 3 <= roomBytes || Buffer.byteLength(text) <= roomBytes) return text;
  const buffer = Buffer.from(text.slice(0, roomBytes));
  return buffer.toString("utf8", 0, characterStart(buffer, roomBytes));
}

/** The longest end of a text that fits into `roomBytes`, in whole characters. */
export function getTextEnd(text: Buffer, roomBytes: number): string {
  return text.toString("utf8", characterEnd(text, Math.max(0, text.length - roomBytes)));
}

const isContinuation = (byte: number | undefined) => byte !== undefined && (byte & 0xc0) === 0x80;

function characterStart(buffer: Buffer, at: number): number {
  let start = at;
  while (start > 0 && isContinuation(buffer[start])) start -= 1;
  return start;
}

function characterEnd(buffer: Buffer, at: number): number {
  let end = at;
  while (end < buffer.length && isContinuation(buffer[end])) end += 1;
  return end;
}
