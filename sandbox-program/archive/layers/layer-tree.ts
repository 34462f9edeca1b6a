// The tree that layers are unpacked into. It starts empty, next to the sandbox's folders, so that
// no entry overwrites a file or follows a link.
import {
  chmodSync,
  closeSync,
  fchmodSync,
  fstatSync,
  ftruncateSync,
  futimesSync,
  linkSync,
  lstatSync,
  lutimesSync,
  mkdirSync,
  openSync,
  symlinkSync,
  utimesSync,
  writeSync,
} from "node:fs";
import { isSaved } from "../saved-folders.ts";
import { type Stamp, toStamp } from "./base-record.ts";
import { type RawPath, toSystemPath } from "./raw-path.ts";
import type { EntryPlace } from "./tar-entry.ts";
import type { EntrySink } from "./tar-reader.ts";
import { readUnlessGone } from "./tree.ts";
import type { FolderPlace } from "./unpacked.ts";

export interface LayerTree {
  /**
   * Creates an entry and returns the sink for its content. Throws if its path already exists or is
   * outside the saved folders.
   */
  put(place: EntryPlace): EntrySink;
  folders: FolderPlace[];
  /** The stamps of the files that no other entry is a link to. */
  stamps: Map<RawPath, Stamp>;
  /** From now on, unpacks below the folder into which the tree was moved. */
  moveTo(root: string): void;
  /** Sets the modes and times of the folders of all layers, except of those that are gone. */
  close(folders: FolderPlace[]): void;
}

/** For an entry without content, and for one that is not wanted. */
export const noContent: EntrySink = { write() {}, end() {} };

const openFolderMode = 0o700;
/** The permissions that a new file can have. Writing sets the others back. */
const createdPermissions = 0o777;

/** Unpacks below `start`. `takesStamps` is false if nobody reads the stamps. */
export function createLayerTree(start: string, { takesStamps }: { takesStamps: boolean }): LayerTree {
  let root = start;
  const made = new Set<RawPath>();
  const folders: FolderPlace[] = [];
  const stamps = new Map<RawPath, Stamp>();
  const at = (path: RawPath) => toSystemPath(root, path);

  function checkPlace(path: RawPath): void {
    const end = path.lastIndexOf("/");
    const parent = path.slice(0, Math.max(end, 0));
    // Every folder that was made has been checked.
    const isWithin = end > 0 && made.has(parent) ? isName(path.slice(end + 1)) : isPlace(path);
    if (!isWithin) throw new Error("an entry outside of what is saved");
  }

  /** Creates a folder unless an earlier layer has. */
  function makeFolder(path: RawPath): void {
    if (made.has(path)) return;
    makeParent(path);
    try {
      mkdirSync(at(path), { mode: openFolderMode });
    } catch (error) {
      if (!lstatSync(at(path), { throwIfNoEntry: false })?.isDirectory()) throw error;
    }
    made.add(path);
  }

  function makeParent(path: RawPath): void {
    const end = path.lastIndexOf("/");
    if (end > 0) makeFolder(path.slice(0, end));
  }

  function openFile({ path, mode, modifiedAt }: EntryPlace): EntrySink {
    const file = openSync(at(path), "wx", mode & createdPermissions);
    let position = 0;
    let written = 0;
    return {
      write(piece) {
        const start = position;
        position += piece.length;
        // Layers have zeros for the holes of a file, which may be larger than the disk.
        if (isZeros(piece)) return;
        for (written = start; written < position; )
          written += writeSync(file, piece, written - start, position - written, written);
      },
      end() {
        if (written < position) ftruncateSync(file, position);
        if (mode > createdPermissions) fchmodSync(file, mode);
        const time = toNodeTime(modifiedAt);
        futimesSync(file, time, time);
        if (takesStamps) stamps.set(path, toStamp(fstatSync(file, { bigint: true })));
        closeSync(file);
      },
    };
  }

  return {
    folders,
    stamps,
    put(place) {
      const { path, type, mode, modifiedAt, target } = place;
      checkPlace(path);
      switch (type) {
        case "directory":
          makeFolder(path);
          folders.push({ path, mode, modifiedAt });
          return noContent;
        case "file":
          makeParent(path);
          return openFile(place);
        case "symlink":
          makeParent(path);
          symlinkSync(Buffer.from(target, "latin1"), at(path));
          lutimesSync(at(path), modifiedAt, modifiedAt);
          return noContent;
        case "link":
          checkPlace(target);
          makeParent(path);
          linkSync(at(target), at(path));
          // A link changes its target, too.
          stamps.delete(target);
          return noContent;
      }
    },
    moveTo(moved) {
      root = moved;
    },
    close(all) {
      const depth = ({ path }: FolderPlace) => path.split("/").length;
      for (const { path, mode, modifiedAt } of all.toSorted((left, right) => depth(right) - depth(left)))
        readUnlessGone(() => {
          utimesSync(at(path), modifiedAt, modifiedAt);
          chmodSync(at(path), mode);
        });
    },
  };
}

const zeros = Buffer.alloc(64 * 1_024);

function isZeros(piece: Buffer): boolean {
  // Most content ends here.
  if (piece[0] !== 0) return false;
  for (let at = 0; at < piece.length; at += zeros.length) {
    const part = piece.subarray(at, at + zeros.length);
    if (!part.equals(zeros.subarray(0, part.length))) return false;
  }
  return true;
}

/**
 * The time for Node, which takes long to check a string. Of a negative number, Node would set the
 * current time.
 */
const toNodeTime = (seconds: string): string | number => (Number(seconds) < 0 ? seconds : Number(seconds));

/** True for a path that is inside of what is saved. */
function isPlace(path: RawPath): boolean {
  const [top = "", ...rest] = path.split("/");
  return isSaved(top) && rest.every(isName);
}

const isName = (part: RawPath) => part !== "" && part !== "." && part !== "..";
