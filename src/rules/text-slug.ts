// A slug: a text reduced to what names and addresses allow.

/** Only the beginning of a long text is read. */
const charactersRead = 1_000;

/** Returns lower-case Latin letters and digits with hyphens between, at most `most`; `fallback` if the text has none. */
export function slugOf(text: string, { most, fallback }: { most: number; fallback: string }): string {
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
