// Restores layers: the work layer is unpacked first, then the paths of its base that the work does
// not replace. The unpacked tree is applied only after every layer has been read to its end and
// verified.
import { lstatSync } from "node:fs";
import { mkdir, rename } from "node:fs/promises";
import { join } from "node:path";
import { Writable } from "node:stream";
import type { Folders } from "../../folders.ts";
import { createRefusal } from "../../http/refusal.ts";
import { disownCheckout } from "../../project/checkout-record.ts";
import { deleteFolder } from "../folder-removal.ts";
import { listSavedNames } from "../saved-folders.ts";
import { isOfBase } from "./base-content.ts";
import { deletePrebuildRecord, noStamp, startPrebuildRecord, toSettledStamp, waitUntilSettled } from "./base-record.ts";
import { type OpenLayer, readLayer } from "./layer.ts";
import { createLayerTree, noContent } from "./layer-tree.ts";
import { type RawPath, toPathText, toSystemPath } from "./raw-path.ts";
import { getEntryPlace, isRemovedList } from "./tar-entry.ts";
import { type EntrySink, readTar, type TarHeader, type TarReader } from "./tar-reader.ts";
import { deleteUnpacked, getUnpackedFolder, readUnpacked, saveUnpacked } from "./unpacked.ts";

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

/** Unpacks and applies a base: beneath work that waits for it, or by itself in a new sandbox. */
export async function readBase(folders: Folders, beneathWork: boolean, input: AsyncIterable<Buffer>): Promise<void> {
  const waiting = beneathWork ? readUnpacked(folders) : null;
  if (beneathWork && !waiting) throw notWanted;
  if (!waiting) await deleteUnpacked(folders);
  const layer = await readLayer(input);
  const { kind, id } = layer.head;
  if (kind !== "base" || id === null || (waiting && waiting.base.id !== id)) throw notWanted;
  const settled = new Set(waiting?.settled);
  // Under work the whole base is needed, even paths that a newer base would exclude.
  const isPassedOver = waiting ? (path: RawPath) => settled.has(path) : (path: RawPath) => !isOfBase(path);
  const { taken, passedOver, digest, tree } = await unpack(folders, layer, { isPassedOver, takesStamps: true });
  if (waiting && waiting.base.digest !== digest) throw notWanted;
  if (!waiting) await disownCheckout(join(getUnpackedFolder(folders), "state"));
  tree.close([...tree.folders, ...(waiting?.folders ?? [])]);
  deletePrebuildRecord(folders);
  await applyUnpacked(folders);
  const reliable = waitUntilSettled();
  const notes = startPrebuildRecord(folders);
  // Nothing but this process has changed a file before this wait is over, so that the stamps of its
  // creation are reliable.
  for (const [path, stamp] of tree.stamps) notes.note(path, stamp);
  await reliable;
  for (const path of taken) {
    if (tree.stamps.has(path)) continue;
    const stats = lstatSync(toSystemPath(folders.root, path), { bigint: true, throwIfNoEntry: false });
    notes.note(path, stats === undefined ? noStamp : toSettledStamp(stats));
  }
  for (const path of passedOver) notes.note(path, noStamp);
  notes.finish({ id, digest });
}

const notWanted = createRefusal("ARCHIVE_UNREADABLE", "The parts of the archive do not belong together.");

async function unpack(
  folders: Folders,
  layer: OpenLayer,
  { isPassedOver, takesStamps }: { isPassedOver: (path: RawPath) => boolean; takesStamps: boolean },
) {
  const root = getUnpackedFolder(folders);
  await mkdir(root, { recursive: true, mode: 0o700 });
  const tree = createLayerTree(root, { takesStamps });
  const taken: RawPath[] = [];
  const passedOver: RawPath[] = [];
  let removed: RawPath[] | null = null;

  function open(header: TarHeader): EntrySink {
    if (isRemovedList(header))
      return whole((text) => {
        removed = JSON.parse(text);
      });
    const place = getEntryPlace(header);
    if (isPassedOver(place.path)) {
      passedOver.push(place.path);
      return noContent;
    }
    taken.push(place.path);
    return tree.put(place);
  }

  // A file gets its mode when it is created.
  const mask = process.umask(0);
  const digest = await layer.read(toSink(readTar(open))).finally(() => process.umask(mask));
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

function toSink(reader: TarReader): Writable {
  const inOrder = (act: () => void, done: (error?: Error | null) => void) => {
    try {
      act();
    } catch (error) {
      return done(error instanceof Error ? error : new Error(String(error)));
    }
    done();
  };
  return new Writable({
    write: (chunk, _encoding, done) => inOrder(() => reader.push(chunk), done),
    final: (done) => inOrder(() => reader.end(), done),
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
