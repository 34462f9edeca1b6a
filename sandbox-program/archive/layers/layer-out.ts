// Writes a layer of a sandbox: its work without the files that are unchanged from the base, or the
// base itself.
import type { Writable } from "node:stream";
import type { Folders } from "../../folders.ts";
import { isOfBase } from "./base-content.ts";
import {
  type PrebuildRecord,
  readBaseRecord,
  type Stamp,
  startPrebuildRecord,
  toSettledStamp,
  toStamp,
  waitUntilSettled,
} from "./base-record.ts";
import { type LayerHead, layerFormatVersion, writeLayer } from "./layer.ts";
import { collectFiles, type LayerFiles } from "./layer-files.ts";
import type { RawPath } from "./raw-path.ts";
import { walkTree } from "./tree.ts";

/** Writes the work relative to a base. Without a record of that base, writes everything. */
export async function writeWork(folders: Folders, baseId: string | null, output: Writable): Promise<void> {
  const record = baseId === null ? null : await readBaseRecord(folders, baseId);
  await write(folders, createHead("work", null, record), output, (files) => collectWork(folders, record, files));
}

/** Writes a base layer, and records it as this sandbox's base. */
export async function writeBase(folders: Folders, id: string, output: Writable): Promise<void> {
  await waitUntilSettled();
  const notes = startPrebuildRecord(folders);
  const digest = await write(folders, createHead("base", id, null), output, async (files) => {
    for (const entry of walkTree(folders.root)) {
      if (!isOfBase(entry.path)) continue;
      // The stamp is taken before the file is read, so that a change during the read shows later.
      const stamp = toSettledStamp(entry.stats);
      if (await files.add(entry)) notes.note(entry.path, stamp);
    }
    return [];
  });
  notes.finish({ id, digest });
}

async function collectWork(folders: Folders, record: PrebuildRecord | null, files: LayerFiles): Promise<RawPath[]> {
  const unseen = record?.stamps ?? new Map<RawPath, Stamp>();
  for (const entry of walkTree(folders.root)) {
    const isAsInBase = unseen.get(entry.path) === toStamp(entry.stats);
    if (isAsInBase || (await files.add(entry))) unseen.delete(entry.path);
  }
  return [...unseen.keys()];
}

/** Writes a layer of the files that `collect` adds. `collect` returns the deleted paths. */
async function write(
  folders: Folders,
  head: LayerHead,
  output: Writable,
  collect: (files: LayerFiles) => Promise<RawPath[]>,
): Promise<string> {
  const files = collectFiles(folders.root);
  const collected = collect(files).then(files.finish);
  collected.catch(files.fail);
  const [digest] = await Promise.all([writeLayer(head, files.tar, output), collected]);
  return digest;
}

function createHead(kind: LayerHead["kind"], id: string | null, record: PrebuildRecord | null): LayerHead {
  return { layer: "switchyard", formatVersion: layerFormatVersion, kind, id, base: record?.base ?? null };
}
