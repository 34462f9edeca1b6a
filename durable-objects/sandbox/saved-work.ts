// A sandbox's work in storage. Everything except its base is saved as one layer under a new key, so
// that an interrupted save leaves the previous one intact.

import { getPatch, limitChanges, type SavedChanges } from "../../src/checkout/rules/saved-changes.ts";
import type { Env } from "../../src/env.ts";
import { createId } from "../../src/lib/ids.ts";
import { log } from "../../src/lib/log.ts";
import { listVariableValues } from "../../src/project/rules/settings.ts";
import { createRedaction } from "../../src/rules/redaction.ts";
import { isRefusal, type Refusal, refuse } from "../../src/rules/refusal.ts";
import type { ProgramClient, WorkSave } from "../../src/sandbox/program/client.ts";
import { asCallOfSave, SandboxFailedSave, SandboxUnreachable } from "../../src/sandbox/program/driver.ts";
import { findSandboxPrebuild, releasePrebuild } from "../../src/sandbox/queries/prebuilds.ts";
import { recordSave } from "../../src/sandbox/rules/lifecycle.ts";
import type { ChangedFile, CheckoutAnswer, CheckoutQuery, GitLog } from "../../src/sandbox-protocol/checkout-query.ts";
import {
  deleteFolder,
  getPrebuildLayerKey,
  getSandboxFolder,
  getWorkLayerId,
  getWorkLayerKey,
  type OpenObject,
  readStream,
  writeStream,
} from "../../src/storage/objects.ts";
import { type ObjectSize, recordStoredSizes } from "../../src/storage/stored-objects.ts";
import type { SandboxContext } from "./context.ts";
import type { ProgramCalls } from "./program-calls.ts";
import { findCurrentSettings } from "./settings.ts";

/** A smaller change of the size of saved work may wait until the sandbox pauses. */
const uncountedBytes = 1024 * 1024;

/** The base's response stays open only while work of at most this size is restored. */
const heldWorkBytes = 32 * 1024 * 1024;

/**
 * Saves the work of a generation. The save becomes current unless the sandbox is gone meanwhile.
 * `isUnlessSaved` skips the save if the sandbox is unchanged since the current one. Throws if the
 * work could not be saved completely.
 */
export async function saveWork(
  context: SandboxContext,
  generation: number,
  { isUnlessSaved = false } = {},
): Promise<void> {
  const { env, calls, shell } = context;
  await context.saveLock("save", async () => {
    const prebuildId = await findUsedPrebuild(context, generation);
    const startedAt = Date.now();
    const { archiveKey: current } = calls.sandbox();
    const known = isUnlessSaved && current !== null ? getWorkLayerId(current) : null;
    const work = await calls.runUnlessGone(() => saveSandboxWork(env, calls, { baseId: prebuildId, known }));
    if (work === undefined) return;
    if (work === null) {
      // Its size may have waited for the pause to be counted.
      const saved = current === null ? null : await env.STORE.head(current);
      return saved === null ? undefined : await countWork(context, generation, saved.size);
    }
    const archiveKey = work.key;
    const outcome = shell.decide((sandbox, now) =>
      recordSave(sandbox, { generation, archiveKey, tookMs: now - startedAt }),
    );
    const replaced = isRefusal(outcome) ? null : outcome.replaced;
    if (replaced === archiveKey) return void (await env.STORE.delete(archiveKey));
    if (replaced !== null) await deleteOlderWork(env, calls.key, archiveKey);
    await countWork(context, generation, work.bytes);
  });
}

/**
 * The prebuild under the work of a running generation. It changes only during a start, so that all
 * saves of a generation read it once.
 */
async function findUsedPrebuild(context: SandboxContext, generation: number): Promise<string | null> {
  if (context.usedPrebuild?.generation !== generation)
    context.usedPrebuild = { generation, id: await findSandboxPrebuild(context.env.DB, context.calls.key) };
  return context.usedPrebuild.id;
}

/**
 * Counts saved work for its workspace. While the sandbox runs, a size that has hardly changed since
 * it was counted is not counted again, so that most turns write no row for it; the save of a pause
 * is. Saved work is never refused because of the quota. A failure is only logged, because the save
 * was made.
 */
async function countWork(context: SandboxContext, generation: number, bytes: number): Promise<void> {
  const { env, store, calls, countedWork } = context;
  const isCurrent = countedWork?.generation === generation && Math.abs(bytes - countedWork.bytes) < uncountedBytes;
  const { owner, state } = store.load();
  if (owner === null || (isCurrent && state === "running")) return;
  try {
    // One row for all saves of a sandbox, because only the newest is kept.
    await recordStoredSizes(env.DB, { type: "workspace", id: owner.workspaceId }, [
      { key: getSandboxFolder(calls.key), bytes },
    ]);
    context.countedWork = { generation, bytes };
  } catch (error) {
    log.warn("saved_work.not_counted", { sandboxKey: calls.key, error });
  }
}

/**
 * Saves the work and returns its object; null if it is unchanged since the known save. Throws if it
 * could not be saved completely.
 */
async function saveSandboxWork(
  env: Env,
  calls: ProgramCalls,
  save: Pick<WorkSave, "baseId" | "known">,
): Promise<ObjectSize | null> {
  const id = createId();
  const answer = await asCallOfSave(calls.program().saveWork({ ...save, id }));
  if (!answer.ok) throw new SandboxFailedSave(`${answer.refusal.code} ${answer.refusal.message}`);
  if (answer.value === null) return null;
  const workKey = getWorkLayerKey(calls.key, id);
  return { key: workKey, bytes: await writeStream(env.STORE, workKey, readLayer(answer.value)) };
}

/** The bytes of a layer. A stream that breaks is a failure of the sandbox. */
async function* readLayer(layer: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void> {
  try {
    yield* layer;
  } catch (error) {
    throw new SandboxFailedSave(error);
  }
}

/**
 * Deletes every save older than the current one, including saves that never became current. Safe to
 * repeat.
 */
async function deleteOlderWork(env: Env, sandboxKey: string, workKey: string): Promise<void> {
  const { objects } = await env.STORE.list({ prefix: getSandboxFolder(sandboxKey) });
  // The keys of one sandbox sort by creation time.
  const older = objects.map(({ key }) => key).filter((key) => key < workKey);
  if (older.length > 0) await env.STORE.delete(older);
}

/** Deletes all saved work of a sandbox. Safe to repeat. */
export async function deleteSandboxWork(env: Env, sandboxKey: string): Promise<void> {
  await deleteFolder(env, getSandboxFolder(sandboxKey));
  await releasePrebuild(env.DB, sandboxKey);
}

/**
 * Restores the work of an empty sandbox, then the base under it. Missing or broken work is never
 * replaced by a fresh checkout. Returns null, or why the work cannot be restored.
 */
export async function restoreSandboxWork(
  env: Env,
  program: ProgramClient,
  { key, projectId, workKey }: { key: string; projectId: string; workKey: string },
): Promise<Refusal | null> {
  const [work, opened] = await Promise.all([readWork(env, key, workKey), openUsedPrebuild(env, key, projectId)]);
  if (!work) {
    await opened?.layer.body.cancel();
    return missing("The saved work of this sandbox is missing from storage.");
  }
  // The work is read first, because it names its base. An open response may break meanwhile.
  const isHeld = work.size <= heldWorkBytes;
  const restored = await program.restoreWork(work.body);
  const baseId = restored.ok ? restored.value.baseId : null;
  const held = isHeld && opened !== null && opened.id === baseId ? opened.layer : null;
  if (held === null) await opened?.layer.body.cancel();
  if (!restored.ok) return unrestored(restored.refusal.message);
  if (baseId === null) return null;
  const base = held ?? (await readStream(env.STORE, getPrebuildLayerKey(projectId, baseId)));
  if (!base) return missing("The prebuild of this sandbox's saved work is missing from storage.");
  const completed = await program.restorePrebuild(base.body, { beneathWork: true, early: true });
  if (!completed.ok) return unrestored(completed.refusal.message);
  // A sandbox without the rest ends, and its next start restores the same work.
  void completed.value.rest.catch(() => null);
  return null;
}

/**
 * Opens a save, or the newest after it if it is missing; null if there is neither. A backup copies
 * objects before storage, and a save between the two replaces the one that the object names.
 */
async function readWork(env: Env, sandboxKey: string, workKey: string): Promise<OpenObject | null> {
  const work = await readStream(env.STORE, workKey);
  if (work) return work;
  // The keys of one sandbox sort by creation time.
  const { objects } = await env.STORE.list({ prefix: getSandboxFolder(sandboxKey), startAfter: workKey });
  const newest = objects.at(-1);
  return newest ? await readStream(env.STORE, newest.key) : null;
}

/** The base that the sandbox is registered with, which its saved work is almost always on. */
async function openUsedPrebuild(
  env: Env,
  sandboxKey: string,
  projectId: string,
): Promise<{ id: string; layer: OpenObject } | null> {
  const id = await findSandboxPrebuild(env.DB, sandboxKey);
  const layer = id === null ? null : await readStream(env.STORE, getPrebuildLayerKey(projectId, id));
  return id === null || layer === null ? null : { id, layer };
}

const missing = (what: string) => refuse("SERVICE_UNAVAILABLE", `${what} Contact support.`);
const unrestored = (reason: string) =>
  refuse("SERVICE_UNAVAILABLE", `The saved work of this sandbox could not be restored: ${reason}`);

/** With the key of the save that they belong to. */
export type CheckoutChanges = SavedChanges<ChangedFile, GitLog["commits"][number]> & { archiveKey: string | null };

/**
 * Stores the changes of a sandbox after a save, so that they can be read while it sleeps. Those of
 * the current save are stored once. A file may contain a secret of the project; the stored changes
 * never do. A failure is only logged, and the previously stored changes stay. If the sandbox has
 * ended meanwhile, that is not a failure: its work was saved before, or is gone with its session.
 */
export async function saveChanges(context: SandboxContext): Promise<void> {
  const { store, calls } = context;
  const { owner, generation, archiveKey } = calls.sandbox();
  if (owner === null || store.changes()?.archiveKey === archiveKey) return;
  const base = owner.baseBranch;
  try {
    const at = Date.now();
    const program = calls.program();
    const [settings, changes, log, patch] = await Promise.all([
      findCurrentSettings(context, owner.projectId),
      program.gitChanges(base),
      program.gitLog(base),
      program.gitPatch(base, null),
    ]);
    if (!changes.ok || !log.ok || !patch.ok || calls.sandbox().generation !== generation) return;
    const { files } = changes.value;
    const { commits } = log.value;
    const { value: withoutSecrets } = createRedaction(settings ? listVariableValues(settings) : []);
    // Secrets are redacted before the changes are cut, because a cut could leave half of a secret.
    const limited = limitChanges(withoutSecrets({ at, base, files, commits, ...patch.value }));
    store.saveChanges({ ...limited, archiveKey });
  } catch (error) {
    if (error instanceof SandboxUnreachable && error.isMissing) return;
    log.warn("saved_changes.not_updated", { sandboxKey: calls.key, error });
  }
}

/**
 * Responds to a query from the stored changes. The result is empty if nothing is stored, or if the
 * changes were compared with another base.
 */
export function readSavedChanges(kept: CheckoutChanges | null, query: CheckoutQuery): CheckoutAnswer {
  if (kept === null || !("base" in query) || query.base !== kept.base) return {};
  const { at: asOf, files, commits, patch, isCut } = kept;
  switch (query.type) {
    case "changes":
      return { changes: { files }, asOf };
    case "log":
      return { log: { commits }, asOf };
    case "patch":
      return { patch: { patch: query.path === null ? patch : getPatch(patch, query.path), isCut }, asOf };
    default:
      return {};
  }
}
