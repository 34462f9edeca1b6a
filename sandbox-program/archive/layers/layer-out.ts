// Writes a layer of a sandbox: its work without the files that are unchanged from the base, or the
// base itself.
import type { Writable } from "node:stream";
import type { Folders } from "../../folders.ts";
import type { WriteBase, WriteWork } from "./archiver-task.ts";
import { isOfBase } from "./base-content.ts";
import {
  noStamp,
  type PrebuildRecord,
  readBaseRecord,
  type Stamp,
  startPrebuildRecord,
  toSettledStamp,
  toStamp,
  waitUntilSettled,
} from "./base-record.ts";
import { type LayerHead, layerFormatVersion, writeLayer } from "./layer.ts";
import { createTar } from "./layer-files.ts";
import type { RawPath } from "./raw-path.ts";
import { findSavedMark, type Marking, startMark, writeSaveRecord } from "./save-record.ts";
import { listEntries, type TreeEntry, walkTree } from "./tree.ts";

/**
 * Writes the work relative to a base. Without a record of that base, writes everything. False if
 * the sandbox is as it was at the known save: then nothing is written.
 */
export async function writeWork(
  folders: Folders,
  { baseId, id, known }: Omit<WriteWork, "type">,
  output: Writable,
): Promise<boolean> {
  const savedMark = known === null ? null : findSavedMark(folders, known, baseId);
  const mark = startMark({ keepsStamps: savedMark !== null });
  if (savedMark !== null && isMarked(folders, mark, savedMark)) return false;
  const record = baseId === null ? null : readBaseRecord(folders, baseId);
  const unseen = record?.stamps ?? new Map<RawPath, Stamp>();
  const isChanged = (path: RawPath, stamp: Stamp) => {
    if (unseen.get(path) !== stamp) return true;
    unseen.delete(path);
    return false;
  };
  const entries = savedMark === null ? listChanged(folders, isChanged, mark) : listMarked(folders, isChanged, mark);
  const files = createTar(folders.root, {
    entries,
    added: ({ path }) => void unseen.delete(path),
    listRemoved: () => [...unseen.keys()],
  });
  await writeLayer(createHead("work", null, record), files, output);
  if (id !== null) writeSaveRecord(folders, { id, baseId }, mark.read());
  return true;
}

/** Writes a base layer, and records it as this sandbox's base. */
export async function writeBase(
  folders: Folders,
  { id, last, boundary }: Omit<WriteBase, "type">,
  output: Writable,
): Promise<void> {
  await waitUntilSettled();
  const notes = startPrebuildRecord(folders);
  let stamp = noStamp;
  const digest = await writeLayer(
    createHead("base", id, null),
    createTar(folders.root, {
      entries: listOfBase(folders, { last: new Set(last), boundary }, (taken) => {
        stamp = taken;
      }),
      added: ({ path }) => notes.note(path, stamp),
      listRemoved: () => [],
    }),
    output,
  );
  notes.finish({ id, digest });
}

/**
 * The entries of a base. The stamp of each is taken before the file is read, so that a change
 * during the read shows later.
 */
function* listOfBase(
  folders: Folders,
  { last, boundary }: { last: ReadonlySet<RawPath>; boundary: string | null },
  stamped: (stamp: Stamp) => void,
): Generator<TreeEntry> {
  let announced = boundary ?? undefined;
  for (const entry of walkTree(folders.root, last)) {
    if (!isOfBase(entry.path)) continue;
    stamped(toSettledStamp(entry.stats));
    yield entry.isLast ? { ...entry, boundary: announced } : entry;
    if (entry.isLast) announced = undefined;
  }
}

/** True if a file is not as in the base. */
type IsChanged = (path: RawPath, stamp: Stamp) => boolean;

/** The changed entries. */
function* listChanged(folders: Folders, isChanged: IsChanged, mark: Marking): Generator<TreeEntry> {
  for (const entry of walkTree(folders.root)) {
    const stamp = toStamp(entry.stats);
    mark.add(entry, stamp);
    if (isChanged(entry.path, stamp)) yield entry;
  }
}

/** Looks at every file. True if all are as at the save with this mark. */
function isMarked(folders: Folders, mark: Marking, savedMark: string): boolean {
  for (const entry of walkTree(folders.root)) mark.add(entry, toStamp(entry.stats));
  return mark.read() === savedMark;
}

/** The changed entries of a mark that was collected. No other file is looked at again. */
function listMarked(folders: Folders, isChanged: IsChanged, mark: Marking): Iterable<TreeEntry> {
  const paths = new Set<RawPath>();
  for (const [path, stamp] of mark.list()) if (isChanged(path, stamp)) paths.add(path);
  return listEntries(folders.root, paths);
}

function createHead(kind: LayerHead["kind"], id: string | null, record: PrebuildRecord | null): LayerHead {
  return { layer: "switchyard", formatVersion: layerFormatVersion, kind, id, base: record?.base ?? null };
}
