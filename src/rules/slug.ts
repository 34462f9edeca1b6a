// A slug: what is left of a text as part of a name or an address.

/** A slug is made of the beginning of a long text. */
const charactersRead = 1_000;

/** Small Latin letters and digits with hyphens between; the fallback where nothing of the text can be in one. */
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
