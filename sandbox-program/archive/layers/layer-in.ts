// Restores layers: the work layer is unpacked first, then the paths of its base that the work does
// not replace. The unpacked tree is applied after every layer has been read to its end and
// verified. A caller that cannot wait for older commits and for the folders that git ignores gets
// the checkout before them, and keeps everyone from acting on it until the base is verified.
import { lstatSync } from "node:fs";
import { mkdir, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Writable } from "node:stream";
import type { Folders } from "../../folders.ts";
import { createRefusal } from "../../http/refusal.ts";
import { disownCheckout } from "../../project/checkout-record.ts";
import { deleteFolder } from "../folder-removal.ts";
import { listSavedNames } from "../saved-folders.ts";
import { isOfBase } from "./base-content.ts";
import {
  deletePrebuildRecord,
  noStamp,
  type Stamp,
  startPrebuildRecord,
  toSettledStamp,
  waitUntilSettled,
} from "./base-record.ts";
import { type OpenLayer, readLayer } from "./layer.ts";
import { createLayerTree, type LayerTree, noContent } from "./layer-tree.ts";
import { type RawPath, toPathText, toSystemPath } from "./raw-path.ts";
import { beginsLast, getBoundary, getEntryPlace, isRemovedList } from "./tar-entry.ts";
import { type EntrySink, readTar, type TarHeader } from "./tar-reader.ts";
import { deleteUnpacked, type FolderPlace, getUnpackedFolder, readUnpacked, saveUnpacked } from "./unpacked.ts";

/**
 * Unpacks a work layer. If it needs a base, returns its id, and the work is applied together with
 * the base.
 */
export async function readWork(folders: Folders, input: AsyncIterable<Buffer>): Promise<{ baseId: string | null }> {
  await deleteUnpacked(folders);
  const layer = await readLayer(input);
  if (layer.head.kind !== "work") throw notWanted;
  const { taken, removed, tree } = await unpack(folders, layer, { isPassedOver: () => false, takesStamps: false });
  const { base } = layer.head;
  if (base === null) {
    tree.close(tree.folders);
    deletePrebuildRecord(folders);
    await applyUnpacked(folders);
    return { baseId: null };
  }
  await saveUnpacked(folders, { base, settled: [...taken, ...removed], folders: tree.folders });
  return { baseId: base.id };
}

interface BaseTask {
  /** True if unpacked work waits for the base. */
  beneathWork: boolean;
  /** Called once the checkout is in place; null if everything is to be in place together. */
  onCheckout: (() => void) | null;
}

/** Unpacks and applies a base: beneath work that waits for it, or by itself in a new sandbox. */
export async function readBase(
  folders: Folders,
  { beneathWork, onCheckout }: BaseTask,
  input: AsyncIterable<Buffer>,
): Promise<void> {
  const waiting = beneathWork ? readUnpacked(folders) : null;
  if (beneathWork && !waiting) throw notWanted;
  if (!waiting) await deleteUnpacked(folders);
  const layer = await readLayer(input);
  const { kind, id } = layer.head;
  if (kind !== "base" || id === null || (waiting && waiting.base.id !== id)) throw notWanted;
  const settled = new Set(waiting?.settled);
  // Under work the whole base is needed, even paths that a newer base would exclude.
  const isPassedOver = waiting ? (path: RawPath) => settled.has(path) : (path: RawPath) => !isOfBase(path);
  const disown = async () => {
    if (!waiting) await disownCheckout(join(getUnpackedFolder(folders), "state"));
  };
  const early: { noted: Promise<void> | null; isShallow: boolean } = { noted: null, isShallow: false };
  const listFolders = (tree: LayerTree) => [...tree.folders, ...(waiting?.folders ?? [])];
  const { taken, passedOver, digest, tree } = await unpack(folders, layer, {
    isPassedOver,
    takesStamps: true,
    async onCheckout(checkout) {
      if (onCheckout === null) return;
      await writeFile(folders.unfinished, "", { mode: 0o600 });
      await disown();
      // The program may own the folders outside of the project afterwards. Those inside stay open
      // for what follows.
      const opened = (folder: FolderPlace) => (isOutside(folder) ? folder : { ...folder, mode: folder.mode | 0o700 });
      // Under work, the checkout may be at any commit, and nobody needs its history this early.
      early.isShallow = !waiting && limitHistory(checkout);
      checkout.tree.close(listFolders(checkout.tree).map(opened));
      deletePrebuildRecord(folders);
      await applyUnpacked(folders);
      checkout.tree.moveTo(folders.root);
      early.noted = noteCheckout(folders, checkout).then(onCheckout);
    },
  });
  if (waiting && waiting.base.digest !== digest) throw notWanted;
  if (early.noted === null) await disown();
  if (early.isShallow) await rm(join(folders.root, shallowFile));
  tree.close(listFolders(tree).filter((folder) => early.noted === null || !isOutside(folder)));
  if (early.noted === null) {
    deletePrebuildRecord(folders);
    await applyUnpacked(folders);
  }
  const reliable = waitUntilSettled();
  const notes = startPrebuildRecord(folders);
  // Nothing but this process has changed a file before this wait is over, so that the stamps of its
  // creation are reliable.
  for (const [path, stamp] of tree.stamps) notes.note(path, stamp);
  await Promise.all([reliable, early.noted]);
  for (const path of taken) if (!tree.stamps.has(path)) notes.note(path, readStamp(folders, path));
  for (const path of passedOver) notes.note(path, noStamp);
  notes.finish({ id, digest });
  await rm(folders.unfinished, { force: true });
}

const shallowFile = "project/.git/shallow";

/** Makes git end the history where its older commits are missing. False if none are. */
function limitHistory({ tree, boundary }: Unpacking): boolean {
  if (boundary === null) return false;
  const sink = tree.put({ path: shallowFile, type: "file", mode: 0o644, modifiedAt: "0", target: "" });
  sink.write(Buffer.from(boundary));
  sink.end();
  // The base has no such file.
  tree.stamps.delete(shallowFile);
  return true;
}

/** True for a folder outside of the project. */
const isOutside = ({ path }: FolderPlace) => !`${path}/`.startsWith("project/");

/**
 * Takes the missing stamps of a checkout before anyone may change it. Those of the folders in the
 * project are taken at the end, because their modes and times are set then.
 */
async function noteCheckout(folders: Folders, { taken, tree }: Unpacking): Promise<void> {
  const open = new Set(tree.folders.flatMap((folder) => (isOutside(folder) ? [] : [folder.path])));
  const unstamped = taken.filter((path) => !tree.stamps.has(path) && !open.has(path));
  await waitUntilSettled();
  for (const path of unstamped) tree.stamps.set(path, readStamp(folders, path));
}

function readStamp(folders: Folders, path: RawPath): Stamp {
  const stats = lstatSync(toSystemPath(folders.root, path), { bigint: true, throwIfNoEntry: false });
  return stats === undefined ? noStamp : toSettledStamp(stats);
}

const notWanted = createRefusal("ARCHIVE_UNREADABLE", "The parts of the archive do not belong together.");

/** What has been unpacked of a layer so far. */
interface Unpacking {
  tree: LayerTree;
  taken: RawPath[];
  /** The boundary of its commits; null if it has all of them. */
  boundary: string | null;
}

interface UnpackOptions {
  isPassedOver(path: RawPath): boolean;
  takesStamps: boolean;
  /** Called when the whole checkout has been unpacked and the last paths follow. */
  onCheckout?(checkout: Unpacking): Promise<void>;
}

async function unpack(folders: Folders, layer: OpenLayer, { isPassedOver, takesStamps, onCheckout }: UnpackOptions) {
  const root = getUnpackedFolder(folders);
  await mkdir(root, { recursive: true, mode: 0o700 });
  const tree = createLayerTree(root, { takesStamps });
  const taken: RawPath[] = [];
  const passedOver: RawPath[] = [];
  let removed: RawPath[] | null = null;
  let boundary: string | null = null;
  let hasCheckout = false;
  let isReported = false;

  function open(header: TarHeader): EntrySink {
    if (isRemovedList(header))
      return whole((text) => {
        removed = JSON.parse(text);
      });
    const place = getEntryPlace(header);
    hasCheckout ||= beginsLast(header);
    boundary ??= getBoundary(header);
    if (isPassedOver(place.path)) {
      passedOver.push(place.path);
      return noContent;
    }
    taken.push(place.path);
    return tree.put(place);
  }

  // A file gets its mode when it is created.
  const mask = process.umask(0);
  const reader = readTar(open);
  const push = async (chunk: Buffer) => {
    reader.push(chunk);
    if (!hasCheckout || isReported) return;
    isReported = true;
    await onCheckout?.({ tree, taken, boundary });
  };
  const digest = await layer.read(toSink(push, async () => reader.end())).finally(() => process.umask(mask));
  if (removed === null) throw notWanted;
  return { taken, passedOver, removed: removed as RawPath[], digest, tree };
}

/** Collects the content of an entry as text. */
function whole(done: (text: string) => void): EntrySink {
  const pieces: Buffer[] = [];
  return {
    write: (piece) => void pieces.push(Buffer.from(piece)),
    end: () => done(Buffer.concat(pieces).toString("utf8")),
  };
}

function toSink(push: (chunk: Buffer) => Promise<void>, end: () => Promise<void>): Writable {
  return new Writable({
    write: (chunk, _encoding, done) => void push(chunk).then(() => done(), done),
    final: (done) => void end().then(() => done(), done),
  });
}

/**
 * Moves the unpacked tree into the sandbox. The project moves last, because a sandbox with a
 * project counts as restored.
 */
async function applyUnpacked(folders: Folders): Promise<void> {
  const root = getUnpackedFolder(folders);
  for (const name of listSavedNames(root)) {
    await deleteFolder(join(folders.root, toPathText(name)));
    await rename(toSystemPath(root, name), toSystemPath(folders.root, name));
  }
  await deleteUnpacked(folders);
}
