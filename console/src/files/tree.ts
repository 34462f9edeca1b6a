// The tree of files as rows: folders that are open, and what a filter finds.
import type { Schemas } from "@switchyard/client";

type Entry = Schemas["FileTreeEntry"];

export interface TreeRow {
  path: string;
  name: string;
  depth: number;
  isFolder: boolean;
  isOpen: boolean;
}

/**
 * The rows of a tree. With a filter, the files whose path has all of its words, in open folders.
 */
export function listRows(entries: readonly Entry[], opened: ReadonlySet<string>, filter: string): TreeRow[] {
  const words = filter.toLowerCase().split(/\s+/).filter(Boolean);
  const holds = (path: string) => words.every((word) => path.toLowerCase().includes(word));
  const walk = (level: readonly Entry[], depth: number): TreeRow[] =>
    sortEntries(level).flatMap(({ path, name, type, children = [] }) => {
      const row = { path, name, depth, isFolder: type === "directory", isOpen: false };
      if (type === "file") return words.length === 0 || holds(path) ? [row] : [];
      if (words.length === 0) {
        const isOpen = opened.has(path);
        return [{ ...row, isOpen }, ...(isOpen ? walk(children, depth + 1) : [])];
      }
      const found = walk(children, depth + 1);
      return found.length > 0 ? [{ ...row, isOpen: true }, ...found] : [];
    });
  return walk(entries, 0);
}

/** Folders first, each by name. */
const sortEntries = (entries: readonly Entry[]) =>
  entries.toSorted(
    (one, other) =>
      Number(one.type === "file") - Number(other.type === "file") ||
      one.name.localeCompare(other.name, "en", { numeric: true }),
  );

/** The folders above a path, which are open when it is shown. */
export function listFolders(path: string): string[] {
  const parts = path.split("/").slice(0, -1);
  return parts.map((_, at) => parts.slice(0, at + 1).join("/"));
}

/** True for what is hardly a text. */
export const isBinaryText = (content: string): boolean => content.slice(0, 8_000).includes("\0");
