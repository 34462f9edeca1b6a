// One line of printable text, made from user input.

/**
 * White space, invisible characters, and characters that change the direction of the following
 * text.
 */
const unprintable = /[\s\p{Cc}\p{Cs}\u202a-\u202e\u2066-\u2069]+/gu;

/** Replaces each run of unprintable characters with one space. */
export function toPrintableLine(text: string): string {
  return text.replace(unprintable, " ").trim();
}

/** Only the start of a long text is read. */
const charactersRead = 1_000;

/**
 * Returns lower-case Latin letters and digits with hyphens between, at most `most`, as names and
 * URLs allow; `fallback` if the text has none.
 */
export function toSlug(text: string, { most, fallback }: { most: number; fallback: string }): string {
  const slug = text
    .slice(0, charactersRead)
    .normalize("NFKD")
    .toLowerCase()
    .replace(/\p{M}+/gu, "")
    .replace(/[^a-z0-9]+/g, "-")
    .slice(0, most)
    .replace(/^-+|-+$/g, "");
  return slug === "" ? fallback : slug;
}

/**
 * True for a text of more than this many characters, as the product's limits count them: one code
 * point is one character. Reads no more of the text than necessary.
 */
export function hasMoreCodePoints(text: string, most: number): boolean {
  return indexAfter(text, most) < text.length;
}

/** The first characters of a text. No character is split. */
export function toFirstCodePoints(text: string, most: number): string {
  return text.slice(0, indexAfter(text, most));
}

/** The index after this many code points; the length of a text that has no more. */
function indexAfter(text: string, codePoints: number): number {
  if (text.length <= codePoints) return text.length;
  let index = 0;
  for (let counted = 0; counted < codePoints && index < text.length; counted += 1)
    index += (text.codePointAt(index) ?? 0) > 0xffff ? 2 : 1;
  return index;
}

/** The pattern that matches this text only. */
export function toPattern(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
}
