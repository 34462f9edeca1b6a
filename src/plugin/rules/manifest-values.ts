// Reads values of a manifest, which may be anything: what is of another type than expected reads as
// missing.

/** Of a command that a plugin has run. */
export const commandCharactersMax = 10_000;

/** The fields of an object; empty for any other value. */
export function fieldsOf(value: unknown): Record<string, unknown> {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return {};
  return Object.assign(Object.create(null), value);
}

/**
 * A text without control characters, cut to a length in characters; null for anything else, and for
 * an empty one.
 */
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

// Where the parts of a plugin lie: in the folders of their kind, and where its manifest says
// besides. What the manifest says is a stranger's word: a path that leads out of the plugin refuses
// it.

/**
 * What a manifest says of a kind of parts: paths within the plugin, without `./`, and values that
 * stand in the manifest itself.
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
export function saidOfParts(field: string, value: unknown): SaidOfParts | string {
  const said: SaidOfParts = { paths: [], values: [] };
  for (const one of Array.isArray(value) ? value : [value]) {
    if (typeof one === "string") {
      const path = pathWithin(one);
      if (path === null) return `its manifest has a path of ${field} that leads out of it`;
      said.paths.push(path);
    } else if (typeof one === "object" && one !== null) said.values.push(fieldsOf(one));
  }
  return said;
}

/**
 * The path without its dots; empty for the plugin's own folder, and null for one that leads out of
 * it.
 */
function pathWithin(text: string): string | null {
  const path = text.replace(root, "").replace(/\/+$/, "");
  if (path === "" || path === ".") return "";
  if (path.length > 1_000 || path.startsWith("/") || /[\\\p{Cc}]/u.test(path)) return null;
  const parts = path.split("/").filter((part) => part !== "" && part !== ".");
  return parts.includes("..") || /^[A-Za-z]:/.test(path) ? null : parts.join("/");
}

/**
 * True for a file that is at one of these paths, or right below one. `ending` is how the names of
 * such files end.
 */
export function isAt(file: string, paths: readonly string[], ending: string): boolean {
  if (!file.endsWith(ending)) return false;
  const folder = file.includes("/") ? file.slice(0, file.lastIndexOf("/")) : "";
  return paths.some((path) => path === file || path === folder);
}
