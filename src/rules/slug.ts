// A slug: what is left of a text as part of a name or an address.

/** Small Latin letters and digits with hyphens between; the fallback where nothing of the text can be in one. */
export function slugOf(text: string, { most, fallback }: { most: number; fallback: string }): string {
  const slug = text
    .normalize("NFKD")
    .toLowerCase()
    .replace(/\p{M}+/gu, "")
    .replace(/[^a-z0-9]+/g, "-")
    .slice(0, most)
    .replace(/^-+|-+$/g, "");
  return slug === "" ? fallback : slug;
}
