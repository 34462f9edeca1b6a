// Reads values of a manifest, which may have any type: a value of an unexpected type counts as
// missing.

/** The longest command that a plugin may run. */
export const commandCharactersMax = 10_000;

/** The fields of an object; empty for any other value. */
export function toFields(value: unknown): Record<string, unknown> {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return {};
  return Object.assign(Object.create(null), value);
}

/**
 * A text without control characters, cut to a length in characters; null for any other value and
 * for an empty text.
 */
export function parseText(value: unknown, charactersMax: number): string | null {
  if (typeof value !== "string") return null;
  const plain = value
    .slice(0, 4 * charactersMax)
    .toWellFormed()
    .replace(/\p{Cc}+/gu, " ")
    .trim();
  const cut = [...plain].slice(0, charactersMax).join("");
  return cut === "" ? null : cut;
}

/** True for a value with content: not missing, and not an empty text, list or object. */
export function isGiven(value: unknown): boolean {
  if (value === undefined || value === null || value === false || value === "") return false;
  return typeof value !== "object" || Object.keys(value).length > 0;
}

/**
 * What a manifest says about a kind of parts: paths within the plugin, without `./`, and values
 * that are in the manifest itself. The manifest is untrusted: a path that leads out of the plugin
 * refuses it.
 */
export interface SaidOfParts {
  paths: string[];
  values: Record<string, unknown>[];
}

const root = /^(?:\$\{CLAUDE_PLUGIN_ROOT\}\/|\.\/)+/;

/**
 * Reads a field of a manifest: a path, an object, or a list of both. A message if a path leads out
 * of the plugin.
 */
export function parseDeclaredParts(field: string, value: unknown): SaidOfParts | string {
  const said: SaidOfParts = { paths: [], values: [] };
  for (const one of Array.isArray(value) ? value : [value]) {
    if (typeof one === "string") {
      const path = pathWithin(one);
      if (path === null) return `its manifest has a path of ${field} that leads out of it`;
      said.paths.push(path);
    } else if (typeof one === "object" && one !== null) said.values.push(toFields(one));
  }
  return said;
}

/**
 * The path without its dots; empty for the plugin's own folder, and null if it leads out of the
 * folder.
 */
function pathWithin(text: string): string | null {
  const path = text.replace(root, "").replace(/\/+$/, "");
  if (path === "" || path === ".") return "";
  if (path.length > 1_000 || path.startsWith("/") || /[\\\p{Cc}]/u.test(path)) return null;
  const parts = path.split("/").filter((part) => part !== "" && part !== ".");
  return parts.includes("..") || /^[A-Za-z]:/.test(path) ? null : parts.join("/");
}

/**
 * True for a file at one of these paths, or directly below one. `ending` is the suffix of such
 * files.
 */
export function isAt(file: string, paths: readonly string[], ending: string): boolean {
  if (!file.endsWith(ending)) return false;
  const folder = file.includes("/") ? file.slice(0, file.lastIndexOf("/")) : "";
  return paths.some((path) => path === file || path === folder);
}
