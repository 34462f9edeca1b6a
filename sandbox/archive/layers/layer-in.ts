// Restores layers: the work layer is unpacked first, then the paths of its base that the work does not replace. The unpacked tree is applied
// only after every layer has been read to its end and verified.
import { mkdir, rename } from "node:fs/promises";
import { join } from "node:path";
import { extract } from "tar-stream";
import { type Folders, shareEarlierFiles } from "../../folders.ts";
import { refusal } from "../../http/refusal.ts";
import { disownCheckout } from "../../project/checkout-record.ts";
import { removeFolder } from "../folder-removal.ts";
import { savedNames } from "../saved-folders.ts";
import { isOfBase } from "./base-content.ts";
import { dropBaseRecord, noStamp, noteBase, settledStamp, untilSettled } from "./base-record.ts";
import { type OpenLayer, openLayer } from "./layer.ts";
import { openLayerTree } from "./layer-tree.ts";
import { bytesOf, type RawPath, textOf } from "./raw-path.ts";
import { isRemovedList, placeOf } from "./tar-entry.ts";
import { walkTree } from "./tree.ts";
import { dropUnpacked, keepUnpacked, readUnpacked, unpackedFolder } from "./unpacked.ts";

/** Unpacks a work layer. If it needs a base, returns its id, and the work is applied together with the base. */
export async function readWork(folders: Folders, input: AsyncIterable<Buffer>): Promise<{ baseId: string | null }> {
  await dropUnpacked(folders);
  const layer = await openLayer(input);
  if (layer.head.kind !== "work") throw notWanted;
  const { taken, removed, tree } = await unpack(folders, layer, () => false);
  const { base } = layer.head;
  if (base === null) {
    tree.close(tree.folders);
    dropBaseRecord(folders);
    await applyUnpacked(folders);
    return { baseId: null };
  }
  await keepUnpacked(folders, { base, settled: [...taken, ...removed], folders: tree.folders });
  return { baseId: base.id };
}

/** Unpacks and applies a base: beneath work that waits for it, or alone in a new sandbox. */
export async function readBase(folders: Folders, beneathWork: boolean, input: AsyncIterable<Buffer>): Promise<void> {
  const waiting = beneathWork ? readUnpacked(folders) : null;
  if (beneathWork && !waiting) throw notWanted;
  if (!waiting) await dropUnpacked(folders);
  const layer = await openLayer(input);
  const { kind, id } = layer.head;
  if (kind !== "base" || id === null || (waiting && waiting.base.id !== id)) throw notWanted;
  const settled = new Set(waiting?.settled);
  // Under work the whole base is needed, even paths that a newer base would leave out.
  const isPassedOver = waiting ? (path: RawPath) => settled.has(path) : (path: RawPath) => !isOfBase(path);
  const { taken, passedOver, digest, tree } = await unpack(folders, layer, isPassedOver);
  if (waiting && waiting.base.digest !== digest) throw notWanted;
  if (!waiting) await disownCheckout(join(unpackedFolder(folders), "state"));
  tree.close([...tree.folders, ...(waiting?.folders ?? [])]);
  dropBaseRecord(folders);
  await applyUnpacked(folders);
  await untilSettled();
  const notes = noteBase(folders);
  const fromBase = new Set(taken);
  for (const { path, stats } of walkTree(folders.root))
    if (fromBase.delete(path)) notes.note(path, settledStamp(stats));
  for (const path of [...passedOver, ...fromBase]) notes.note(path, noStamp);
  notes.finish({ id, digest });
}

const notWanted = refusal("ARCHIVE_UNREADABLE", "The parts of the archive do not belong together.");

async function unpack(folders: Folders, layer: OpenLayer, isPassedOver: (path: RawPath) => boolean) {
  const root = unpackedFolder(folders);
  await mkdir(root, { recursive: true, mode: 0o700 });
  const tree = openLayerTree(root);
  const taken: RawPath[] = [];
  const passedOver: RawPath[] = [];
  let removed: RawPath[] | null = null;

  async function takeEntries(entries: ReturnType<typeof extract>): Promise<void> {
    for await (const entry of entries) {
      const content = entry as AsyncIterable<unknown> as AsyncIterable<Uint8Array>;
      if (isRemovedList(entry.header)) {
        removed = JSON.parse(await textOfStream(content));
        continue;
      }
      const place = placeOf(entry.header);
      if (isPassedOver(place.path)) {
        passedOver.push(place.path);
        entry.resume();
      } else {
        taken.push(place.path);
        await tree.put(place, content);
      }
    }
  }

  const entries = extract();
  const [read, took] = await Promise.allSettled([
    layer.read(entries as unknown as NodeJS.WritableStream),
    takeEntries(entries),
  ]);
  // A read error is reported first: the unpack error is only its consequence.
  if (read.status === "rejected") throw read.reason;
  if (took.status === "rejected") throw took.reason;
  if (removed === null) throw notWanted;
  return { taken, passedOver, removed: removed as RawPath[], digest: read.value, tree };
}

async function textOfStream(stream: AsyncIterable<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  return Buffer.concat(chunks).toString("utf8");
}

/** Moves the unpacked tree into the sandbox. The project moves last, because a sandbox with a project counts as restored. */
async function applyUnpacked(folders: Folders): Promise<void> {
  const root = unpackedFolder(folders);
  for (const name of savedNames(root)) {
    await removeFolder(join(folders.root, textOf(name)));
    await rename(bytesOf(root, name), bytesOf(folders.root, name));
  }
  shareEarlierFiles(folders);
  await dropUnpacked(folders);
}
