// One entry of a layer's tar: a file's place, kind, mode and time. Pax records carry what tar's own fields are too small for.
import type { Header } from "tar-stream";
import { type RawPath, rawOf, textOf } from "./raw-path.ts";
import type { TreeEntry } from "./tree.ts";

export interface EntryPlace {
  path: RawPath;
  type: "file" | "directory" | "symlink" | "link";
  mode: number;
  /**
   * In seconds. The middle of its microsecond: a double holds no nanoseconds, and rounding must not lead to the microsecond before. A text,
   * for Node takes the number of a time before 1970 for the present.
   */
  modifiedAt: string;
  /** Where a link points; a hard link, to an earlier entry. */
  target: RawPath;
}

const permissions = 0o7777;
/** What the library puts into tar's own field; the record beside it holds any time. */
const latestTarTimeMs = (2 ** 31 - 1) * 1_000;
const nanosecondsInSecond = 1_000_000_000n;
/** Records for names that tar cannot hold as they are, in hexadecimal. */
const rawPathRecord = "SWITCHYARD.path";
const rawTargetRecord = "SWITCHYARD.linkpath";

/** The entry that names, as a list in JSON, the paths of the base that are gone. A file of that name has its path in a record. */
export const removedEntry = "removed";

/** True for the list of what is gone. */
export function isRemovedList({ name, pax }: Header): boolean {
  return name === removedEntry && !Object.hasOwn(pax ?? {}, rawPathRecord);
}

/** What tar writes of a file. */
export function entryHeader({ path, stats }: TreeEntry, type: EntryPlace["type"], size: number, target = "") {
  const pax: Record<string, string> = { mtime: secondsOf(stats.mtimeNs) };
  if (rawOf(textOf(path)) !== path || path === removedEntry) pax[rawPathRecord] = hexOf(path);
  if (rawOf(textOf(target)) !== target) pax[rawTargetRecord] = hexOf(target);
  return {
    name: textOf(path),
    type,
    // With the bits of its kind, which tar does not keep: a mode of 0 alone would be taken for none.
    mode: Number(stats.mode),
    mtime: new Date(Math.min(Math.max(Number(stats.mtimeMs), 0), latestTarTimeMs)),
    size,
    ...(target === "" ? {} : { linkname: textOf(target) }),
    pax,
  };
}

/** Where an entry goes. Throws for a kind that no layer holds. */
export function placeOf(header: Header): EntryPlace {
  const { type } = header;
  if (type !== "file" && type !== "directory" && type !== "symlink" && type !== "link") throw new Error(`a ${type}`);
  const pax = new Map(Object.entries(header.pax ?? {}).map(([name, value]) => [name, String(value)]));
  const rawPath = pax.get(rawPathRecord);
  const rawTarget = pax.get(rawTargetRecord);
  return {
    path: rawPath === undefined ? rawOf(header.name.replace(/\/$/, "")) : rawOfHex(rawPath),
    type,
    mode: header.mode & permissions,
    modifiedAt: middleOfMicrosecond(pax.get("mtime") ?? String(header.mtime.getTime() / 1_000)),
    target: rawTarget === undefined ? rawOf(header.linkname ?? "") : rawOfHex(rawTarget),
  };
}

const hexOf = (raw: RawPath) => Buffer.from(raw, "latin1").toString("hex");
const rawOfHex = (hex: string) => Buffer.from(hex, "hex").toString("latin1");

function secondsOf(nanoseconds: bigint): string {
  const positive = nanoseconds < 0n ? -nanoseconds : nanoseconds;
  const fraction = (positive % nanosecondsInSecond).toString().padStart(9, "0");
  return `${nanoseconds < 0n ? "-" : ""}${positive / nanosecondsInSecond}.${fraction}`;
}

function middleOfMicrosecond(seconds: string): string {
  const [whole = "", fraction = ""] = seconds.split(".");
  return `${whole}.${fraction.slice(0, 6).padEnd(6, "0")}5`;
}
