// One entry of a layer's tar: path, type, mode and time. Pax records hold values that do not fit
// into tar's fields.
import { isAscii, type RawPath, toPathText, toRawPath } from "./raw-path.ts";
import type { TarHeader } from "./tar-reader.ts";
import type { EntryHeader } from "./tar-writer.ts";
import type { TreeEntry } from "./tree.ts";

export interface EntryPlace {
  path: RawPath;
  type: "file" | "directory" | "symlink" | "link";
  mode: number;
  /**
   * Seconds, at the middle of a microsecond: a double cannot represent nanoseconds, and rounding
   * down would give the previous microsecond. A string, because Node replaces a negative number
   * with the current time.
   */
  modifiedAt: string;
  /** The target of a symlink, or the earlier entry of a hard link. */
  target: RawPath;
}

const permissions = 0o7777;
/** The latest time that fits in tar's own field. The pax record can store any time. */
const latestTarSeconds = 2 ** 31 - 1;
const nanosecondsInSecond = 1_000_000_000n;
/** Pax records for names that are not UTF-8, in hexadecimal. */
const rawPathRecord = "SWITCHYARD.path";
const rawTargetRecord = "SWITCHYARD.linkpath";
/** The pax record of the entries with which the last paths of a base begin. */
const lastRecord = "SWITCHYARD.last";
/** The pax record of the first of them, with the boundary of the commits that came before it. */
const boundaryRecord = "SWITCHYARD.boundary";

/**
 * The name of the entry that lists the deleted paths of the base as JSON. A real file of this name
 * has its path in a pax record.
 */
export const removedEntry = "removed";

/** True for the list of deleted paths. */
export function isRemovedList({ name, pax }: TarHeader): boolean {
  return name === removedEntry && !pax.has(rawPathRecord);
}

/** True for an entry before which the whole checkout has been read. */
export const beginsLast = ({ pax }: TarHeader): boolean => pax.has(lastRecord);

/** The boundary of the commits that have been read before this entry; null if it names none. */
export const getBoundary = ({ pax }: TarHeader): string | null => pax.get(boundaryRecord) ?? null;

/** The tar header of a file. */
export function createEntryHeader(
  { path, stats, isLast, boundary }: TreeEntry,
  type: EntryPlace["type"],
  target = "",
): EntryHeader {
  const pax: [string, string][] = [["mtime", toSeconds(stats.mtimeNs)]];
  if (!isText(path) || path === removedEntry) pax.push([rawPathRecord, toHex(path)]);
  if (!isText(target)) pax.push([rawTargetRecord, toHex(target)]);
  if (isLast) pax.push([lastRecord, "1"]);
  if (boundary !== undefined) pax.push([boundaryRecord, boundary]);
  return {
    name: path,
    type,
    mode: Number(stats.mode),
    seconds: Math.min(Math.max(Math.floor(Number(stats.mtimeMs) / 1_000), 0), latestTarSeconds),
    linkname: target,
    pax,
  };
}

/** True for valid UTF-8. */
const isText = (raw: RawPath) => isAscii(raw) || toRawPath(toPathText(raw)) === raw;

/** The place of an entry. Throws for an entry type that layers do not contain. */
export function getEntryPlace({ name, type, mode, mtime, linkname, pax }: TarHeader): EntryPlace {
  if (type === "other") throw new Error("an entry of a type that no layer holds");
  const rawPath = pax.get(rawPathRecord);
  const rawTarget = pax.get(rawTargetRecord);
  return {
    path: rawPath === undefined ? name.replace(/\/$/, "") : rawOfHex(rawPath),
    type,
    mode: mode & permissions,
    modifiedAt: middleOfMicrosecond(mtime),
    target: rawTarget === undefined ? linkname : rawOfHex(rawTarget),
  };
}

const toHex = (raw: RawPath) => Buffer.from(raw, "latin1").toString("hex");
const rawOfHex = (hex: string) => Buffer.from(hex, "hex").toString("latin1");

function toSeconds(nanoseconds: bigint): string {
  const positive = nanoseconds < 0n ? -nanoseconds : nanoseconds;
  const fraction = (positive % nanosecondsInSecond).toString().padStart(9, "0");
  return `${nanoseconds < 0n ? "-" : ""}${positive / nanosecondsInSecond}.${fraction}`;
}

function middleOfMicrosecond(seconds: string): string {
  const [whole = "", fraction = ""] = seconds.split(".");
  return `${whole}.${fraction.slice(0, 6).padEnd(6, "0")}5`;
}
