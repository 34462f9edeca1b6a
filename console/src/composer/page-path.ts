// The path of a page of the preview, as a person writes it.

/** A path, from a path, an address or a part of one. */
export function toPagePath(typed: string): string {
  const text = typed.trim();
  if (/^https?:\/\//.test(text) && URL.canParse(text)) {
    const { pathname, search, hash } = new URL(text);
    return pathname + search + hash;
  }
  return text.startsWith("/") ? text : `/${text}`;
}
