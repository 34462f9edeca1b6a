// Writes a layer of a sandbox: its work without the files that are unchanged from the base, or the
// base itself.
import type { Writable } from "node:stream";
import type { Folders } from "../../folders.ts";
import type { WriteWork } from "./archiver-task.ts";
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
import { isAsSaved, type Marking, startMark, writeSaveRecord } from "./save-record.ts";
import { type TreeEntry, walkTree } from "./tree.ts";

/**
 * Writes the work relative to a base. Without a record of that base, writes everything. False if
 * the sandbox is as it was at the known save: then nothing is written.
 */
export async function writeWork(
  folders: Folders,
  { baseId, id, known }: Omit<WriteWork, "type">,
  output: Writable,
): Promise<boolean> {
  if (known !== null && isAsSaved(folders, known, baseId)) return false;
  const mark = id === null ? null : startMark();
  const record = baseId === null ? null : readBaseRecord(folders, baseId);
  const unseen = record?.stamps ?? new Map<RawPath, Stamp>();
  const files = createTar(folders.root, {
    entries: listChanged(folders, unseen, mark),
    added: ({ path }) => void unseen.delete(path),
    listRemoved: () => [...unseen.keys()],
  });
  await writeLayer(createHead("work", null, record), files, output);
  if (id !== null) writeSaveRecord(folders, { id, baseId }, mark?.read() ?? null);
  return true;
}

/** Writes a base layer, and records it as this sandbox's base. */
export async function writeBase(
  folders: Folders,
  { id, ignored }: { id: string; ignored: readonly RawPath[] },
  output: Writable,
): Promise<void> {
  await waitUntilSettled();
  const notes = startPrebuildRecord(folders);
  let stamp = noStamp;
  const digest = await writeLayer(
    createHead("base", id, null),
    createTar(folders.root, {
      entries: listOfBase(folders, new Set(ignored), (taken) => {
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
  ignored: ReadonlySet<RawPath>,
  stamped: (stamp: Stamp) => void,
): Generator<TreeEntry> {
  for (const entry of walkTree(folders.root, ignored)) {
    if (!isOfBase(entry.path)) continue;
    stamped(toSettledStamp(entry.stats));
    yield entry;
  }
}

/** The entries that are not as in the base. Deletes the others from `unseen`. */
function* listChanged(folders: Folders, unseen: Map<RawPath, Stamp>, mark: Marking | null): Generator<TreeEntry> {
  for (const entry of walkTree(folders.root)) {
    mark?.add(entry);
    const stamp = unseen.get(entry.path);
    if (stamp === undefined || stamp !== toStamp(entry.stats)) yield entry;
    else unseen.delete(entry.path);
  }
}

function createHead(kind: LayerHead["kind"], id: string | null, record: PrebuildRecord | null): LayerHead {
  return { layer: "switchyard", formatVersion: layerFormatVersion, kind, id, base: record?.base ?? null };
}
