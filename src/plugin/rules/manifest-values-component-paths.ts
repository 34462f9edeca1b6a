// Where the parts of a plugin lie: in the folders of their kind, and where its manifest says besides. What the manifest says is a stranger's
// word: a path that leads out of the plugin refuses it.
import { fieldsOf } from "./manifest-values.ts";

/** What a manifest says of a kind of parts: paths within the plugin, without `./`, and values that stand in the manifest itself. */
export interface SaidOfParts {
  paths: string[];
  values: Record<string, unknown>[];
}

const root = /^(?:\$\{CLAUDE_PLUGIN_ROOT\}\/|\.\/)+/;

/** Reads a field of a manifest: a path, an object, or a list of both. A message if a path leads out of the plugin. */
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

/** The path without its dots; empty for the plugin's own folder, and null for one that leads out of it. */
function pathWithin(text: string): string | null {
  const path = text.replace(root, "").replace(/\/+$/, "");
  if (path === "" || path === ".") return "";
  if (path.length > 1_000 || path.startsWith("/") || /[\\\p{Cc}]/u.test(path)) return null;
  const parts = path.split("/").filter((part) => part !== "" && part !== ".");
  return parts.includes("..") || /^[A-Za-z]:/.test(path) ? null : parts.join("/");
}

/** True for a file that is at one of these paths, or right below one. `ending` is how the names of such files end. */
export function isAt(file: string, paths: readonly string[], ending: string): boolean {
  if (!file.endsWith(ending)) return false;
  const folder = file.includes("/") ? file.slice(0, file.lastIndexOf("/")) : "";
  return paths.some((path) => path === file || path === folder);
}
