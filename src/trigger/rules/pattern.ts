// The patterns of a trigger's filters. `*` matches any text, also with slashes.

/**
 * True if the whole text matches the pattern. Each part between two stars is looked for once, from
 * the end of the part before, so the time is linear.
 */
export function isMatch(pattern: string, text: string): boolean {
  const [first = "", ...others] = pattern.split("*");
  const last = others.pop();
  if (last === undefined) return text === pattern;
  if (!text.startsWith(first) || !text.endsWith(last) || text.length < first.length + last.length) return false;
  const end = text.length - last.length;
  let at = first.length;
  for (const part of others) {
    const found = text.indexOf(part, at);
    if (found < 0 || found + part.length > end) return false;
    at = found + part.length;
  }
  return true;
}
