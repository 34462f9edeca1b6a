// One entry of a layer's tar: path, type, mode and time. Pax records hold values that do not fit
// into tar's fields.
import { type RawPath, toPathText, toRawPath } from "./raw-path.ts";
import type { TarHeader } from "./tar-reader.ts";
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
const latestTarTimeMs = (2 ** 31 - 1) * 1_000;
const nanosecondsInSecond = 1_000_000_000n;
/** Pax records for names that are not UTF-8, in hexadecimal. */
const rawPathRecord = "SWITCHYARD.path";
const rawTargetRecord = "SWITCHYARD.linkpath";

/**
 * The name of the entry that lists the deleted paths of the base as JSON. A real file of this name
 * has its path in a pax record.
 */
export const removedEntry = "removed";

/** True for the list of deleted paths. */
export function isRemovedList({ name, pax }: TarHeader): boolean {
  return name === removedEntry && !pax.has(rawPathRecord);
}

/** The tar header of a file. */
export function createEntryHeader({ path, stats }: TreeEntry, type: EntryPlace["type"], size: number, target = "") {
  const pax: Record<string, string> = { mtime: toSeconds(stats.mtimeNs) };
  if (toRawPath(toPathText(path)) !== path || path === removedEntry) pax[rawPathRecord] = toHex(path);
  if (toRawPath(toPathText(target)) !== target) pax[rawTargetRecord] = toHex(target);
  return {
    name: toPathText(path),
    type,
    // The type bits are included, although tar drops them: the library treats a mode of 0 as
    // missing.
    mode: Number(stats.mode),
    mtime: new Date(Math.min(Math.max(Number(stats.mtimeMs), 0), latestTarTimeMs)),
    size,
    ...(target === "" ? {} : { linkname: toPathText(target) }),
    pax,
  };
}

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
