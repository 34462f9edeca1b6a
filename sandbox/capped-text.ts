// Text cut to a size that may be stored: its beginning and its end stay, and what stands between them says what was left out.
const headShare = 0.25;

/** The text, or as much of it as `limitBytes` holds. */
export function capText(text: string, limitBytes: number): string {
  const bytes = Buffer.byteLength(text);
  if (bytes <= limitBytes) return text;
  const buffer = Buffer.from(text);
  const note = `\n[… ${bytes} bytes in all; the middle is left out …]\n`;
  const room = limitBytes - Buffer.byteLength(note);
  const headEnd = characterStart(buffer, Math.floor(room * headShare));
  const tailStart = characterEnd(buffer, bytes - (room - headEnd));
  return `${buffer.toString("utf8", 0, headEnd)}${note}${buffer.toString("utf8", tailStart)}`;
}

/** The same value with every text in it cut. */
export function capTexts(value: unknown, limitBytes: number): unknown {
  if (typeof value === "string") return capText(value, limitBytes);
  if (Array.isArray(value)) return value.map((item: unknown) => capTexts(item, limitBytes));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, capTexts(item, limitBytes)]));
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
