// The path of a page of the preview, as a person writes it, and as the app's page gives it.

/** A path, from a path, an address or a part of one. */
export function toPagePath(typed: string): string {
  const text = typed.trim();
  if (/^https?:\/\//.test(text) && URL.canParse(text)) {
    const { pathname, search, hash } = new URL(text);
    return pathname + search + hash;
  }
  return text.startsWith("/") ? text : `/${text}`;
}

/** A longer path hides its end in the field that shows it. */
const maxAppPath = 300;
/** As browsers write a path: they encode every other character. */
const writtenPath = /^\/(?!\/)[!-~]*$/;

/**
 * Reads the path that the app's page gave; null if it is none. The page may give any. Of one that
 * is too long, the part before its query counts.
 */
export function readAppPath(given: unknown): string | null {
  if (typeof given !== "string" || !writtenPath.test(given)) return null;
  const path = given.length <= maxAppPath ? given : given.replace(/[?#].*/, "");
  return path.length <= maxAppPath ? path : null;
}
