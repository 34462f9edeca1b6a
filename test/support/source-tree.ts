// The project's files as text, and their imports.
import { readdir, readFile } from "node:fs/promises";
import { posix, relative, sep } from "node:path";
import { fileURLToPath } from "node:url";

export interface SourceFile {
  /** Relative to the project's root, with slashes. */
  path: string;
  text: string;
  lines: number;
}

export interface Import {
  from: string;
  /** A path from the root of the project, `package:<name>` or `node:<name>`. */
  to: string;
  isType: boolean;
}

const root = fileURLToPath(new URL("../..", import.meta.url).href);
/** Generated files and folders, which are not part of the project. */
const made = new Set([
  "node_modules",
  "dist",
  "generated",
  ".git",
  ".switchyard",
  ".wrangler",
  ".worker-source",
  ".vitest",
  "package-lock.json",
]);
const textual = /\.(ts|tsx|mts|mjs|js|json|md|toml|sql|html|css|yml|yaml)$|^[^.]+$|^\.[a-z]+$/;

/** Reads every text file of the project. */
export async function readTree(folder = root): Promise<SourceFile[]> {
  const entries = await readdir(folder, { withFileTypes: true });
  const read = entries.map(async (entry): Promise<SourceFile[]> => {
    const path = `${folder.replace(/[/\\]$/, "")}${sep}${entry.name}`;
    if (made.has(entry.name)) return [];
    if (entry.isDirectory()) return await readTree(path);
    if (!entry.isFile() || !textual.test(entry.name)) return [];
    const text = await readFile(path, "utf8");
    return [{ path: relative(root, path).split(sep).join("/"), text, lines: text.split("\n").length - 1 }];
  });
  return (await Promise.all(read)).flat();
}

const statement = /^\s*(?:import|export)\s+(?<type>type\s+)?(?:[^"';]*?\sfrom\s+)?["'](?<named>[^"']+)["']/gm;
const call = /\bimport\(\s*["'](?<named>[^"']+)["']\s*\)/g;

/** The imports and re-exports of a file. */
export function listImports({ path, text }: SourceFile): Import[] {
  return [...text.matchAll(statement), ...text.matchAll(call)].map(({ groups }) => ({
    from: path,
    to: resolveAddress(path, groups?.named ?? ""),
    isType: groups?.type !== undefined,
  }));
}

function resolveAddress(from: string, named: string): string {
  if (named.startsWith(".")) return posix.join(posix.dirname(from), named);
  return named.startsWith("node:") ? named : `package:${named}`;
}

/** The room of a file: the folder of its noun, without subfolders. */
export function getRoom(path: string): string {
  const folders = path.split("/").slice(0, -1);
  return folders.slice(0, 2).join("/");
}

/** The import cycles: groups of files in which each file reaches every other one. */
export function listCircles(imports: Import[]): string[][] {
  const reached = new Map<string, string[]>();
  for (const { from, to } of imports) reached.set(from, [...(reached.get(from) ?? []), to]);
  const order = new Map<string, number>();
  const open: string[] = [];
  const circles: string[][] = [];

  function visit(file: string): number {
    const place = order.size;
    order.set(file, place);
    open.push(file);
    let low = place;
    for (const next of reached.get(file) ?? []) {
      if (!order.has(next)) low = Math.min(low, visit(next));
      else if (open.includes(next)) low = Math.min(low, order.get(next) ?? low);
    }
    if (low === place) {
      const circle = open.splice(open.indexOf(file));
      if (circle.length > 1) circles.push(circle);
    }
    return low;
  }

  for (const file of reached.keys()) if (!order.has(file)) visit(file);
  return circles;
}
