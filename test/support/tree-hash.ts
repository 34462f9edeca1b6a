// Lists everything that restored work has to contain, one line each: path, type, mode, time and
// content.
import { createHash } from "node:crypto";
import { chmodSync, lstatSync, readdirSync, readFileSync, readlinkSync, type Stats } from "node:fs";

/**
 * The sorted lines of a sandbox's tree. Times are whole milliseconds, cut and not rounded: a layer
 * may hold no more of them. Paths are read as latin1, so that every byte of a name counts.
 */
export function treeLines(root: string, folders = ["project", "state", "home"]): string[] {
  return folders.flatMap((folder) => linesBelow(root, folder)).sort();
}

/** The tree as one hash. */
export function treeHash(root: string): string {
  return hashContent(treeLines(root).join("\0"));
}

function linesBelow(root: string, path: string): string[] {
  const bytes = Buffer.concat([Buffer.from(`${root}/`), Buffer.from(path, "latin1")]);
  const stats = lstatSync(bytes);
  // `mtimeMs` is rounded, which lifts the last of a millisecond's nanoseconds into the next one.
  const changedAtMs = lstatSync(bytes, { bigint: true }).mtimeNs / 1_000_000n;
  const line = `${path} ${(stats.mode & 0o7777).toString(8)} ${changedAtMs} ${readContent(bytes, stats)}`;
  if (!stats.isDirectory()) return [line];
  const names = readdirSync(bytes, { encoding: "latin1" });
  return [line, ...names.flatMap((name) => linesBelow(root, `${path}/${name}`))];
}

function readContent(path: Buffer, stats: Stats): string {
  if (stats.isSymbolicLink()) return `→ ${readlinkSync(path, "latin1")}`;
  if (!stats.isFile()) return "";
  if ((stats.mode & 0o400) !== 0) return hashContent(readFileSync(path));
  chmodSync(path, 0o400);
  const content = readFileSync(path);
  chmodSync(path, stats.mode & 0o7777);
  return hashContent(content);
}

const hashContent = (content: Buffer | string) => createHash("sha256").update(content).digest("hex");
