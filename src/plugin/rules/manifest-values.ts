// Reads values of a manifest, which may be anything: what is of another type than expected reads as missing.

/** Of a command that a plugin has run. */
export const commandCharactersMax = 10_000;

/** The fields of an object; empty for any other value. */
export function fieldsOf(value: unknown): Record<string, unknown> {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return {};
  return Object.assign(Object.create(null), value);
}

/** A text without control characters, cut to a length in characters; null for anything else, and for an empty one. */
export function textIn(value: unknown, charactersMax: number): string | null {
  if (typeof value !== "string") return null;
  const plain = value
    .slice(0, 4 * charactersMax)
    .toWellFormed()
    .replace(/\p{Cc}+/gu, " ")
    .trim();
  const cut = [...plain].slice(0, charactersMax).join("");
  return cut === "" ? null : cut;
}

/** True for a value that says something: not missing, and no empty text, list or object. */
export function isGiven(value: unknown): boolean {
  if (value === undefined || value === null || value === false || value === "") return false;
  return typeof value !== "object" || Object.keys(value).length > 0;
}
