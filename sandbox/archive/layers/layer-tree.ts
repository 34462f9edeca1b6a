// The tree that layers are unpacked into. It starts empty, beside the sandbox's folders, so that no entry overwrites a file or follows a link.
import {
  chmodSync,
  closeSync,
  fchmodSync,
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
import { bytesOf, type RawPath } from "./raw-path.ts";
import type { EntryPlace } from "./tar-entry.ts";
import type { FolderPlace } from "./unpacked.ts";

export interface LayerTree {
  /** Creates an entry. Throws if its path exists already or lies outside the saved folders. */
  put(place: EntryPlace, content: AsyncIterable<Uint8Array>): Promise<void>;
  folders: FolderPlace[];
  /** Sets the modes and times of the folders of all layers. */
  close(folders: FolderPlace[]): void;
}

const openFolderMode = 0o700;
const openFileMode = 0o600;

/** Unpacks below `root`. */
export function openLayerTree(root: string): LayerTree {
  const made = new Set<RawPath>();
  const folders: FolderPlace[] = [];
  const at = (path: RawPath) => bytesOf(root, path);

  /** Creates a folder unless an earlier layer has. */
  function makeFolder(path: RawPath): void {
    if (made.has(path)) return;
    makeParent(path);
    if (!lstatSync(at(path), { throwIfNoEntry: false })?.isDirectory()) mkdirSync(at(path), { mode: openFolderMode });
    made.add(path);
  }

  function makeParent(path: RawPath): void {
    const end = path.lastIndexOf("/");
    if (end > 0) makeFolder(path.slice(0, end));
  }

  async function putFile({ path, mode, modifiedAt }: EntryPlace, content: AsyncIterable<Uint8Array>): Promise<void> {
    const file = openSync(at(path), "wx", openFileMode);
    try {
      for await (const chunk of content)
        for (let rest = chunk; rest.length > 0; ) rest = rest.subarray(writeSync(file, rest));
      if (mode !== openFileMode) fchmodSync(file, mode);
      futimesSync(file, modifiedAt, modifiedAt);
    } finally {
      closeSync(file);
    }
  }

  return {
    folders,
    async put(place, content) {
      const { path, type, mode, modifiedAt, target } = place;
      checkPlace(path);
      switch (type) {
        case "directory":
          makeFolder(path);
          folders.push({ path, mode, modifiedAt });
          return;
        case "file":
          makeParent(path);
          return await putFile(place, content);
        case "symlink":
          makeParent(path);
          symlinkSync(Buffer.from(target, "latin1"), at(path));
          lutimesSync(at(path), modifiedAt, modifiedAt);
          return;
        case "link":
          checkPlace(target);
          makeParent(path);
          linkSync(at(target), at(path));
          return;
      }
    },
    close(all) {
      const depth = ({ path }: FolderPlace) => path.split("/").length;
      for (const { path, mode, modifiedAt } of all.toSorted((left, right) => depth(right) - depth(left))) {
        utimesSync(at(path), modifiedAt, modifiedAt);
        chmodSync(at(path), mode);
      }
    },
  };
}

function checkPlace(path: RawPath): void {
  const [top = "", ...rest] = path.split("/");
  const isWithin = isSaved(top) && !rest.some((part) => part === "" || /^\.{1,2}$/.test(part));
  if (!isWithin) throw new Error("an entry outside of what is saved");
}
