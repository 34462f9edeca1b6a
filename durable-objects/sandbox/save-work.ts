// A sandbox's work in storage: what it holds besides its base is saved as one layer under a key of its own, so that a cut-off save leaves
// the one before.
import type { Env } from "../../src/env.ts";
import { newId } from "../../src/ids.ts";
import type { ProgramClient } from "../../src/sandbox/client.ts";
import { sandboxFolder, workLayerKey } from "../../src/storage/archives.ts";
import { deletePrefix, putStream } from "../../src/storage/objects.ts";
import { baseOfSandbox, leaveBase } from "../../src/storage/queries/sandbox-bases.ts";

/** Saves the work and answers its key. Throws when it could not be saved whole. */
export async function saveSandboxWork(env: Env, sandboxKey: string, program: ProgramClient): Promise<string> {
  const answer = await program.saveWork(await baseOfSandbox(env.DB, sandboxKey));
  if (!answer.ok) throw new Error(`the sandbox refused a save: ${answer.refusal.code} ${answer.refusal.message}`);
  const workKey = workLayerKey(sandboxKey, newId());
  await putStream(env.STORE, workKey, answer.value);
  return workKey;
}

/** Deletes what was saved before the work in force, also by an object that did not live to put it in force. Safe to repeat. */
export async function dropOlderWork(env: Env, sandboxKey: string, workKey: string): Promise<void> {
  const { objects } = await env.STORE.list({ prefix: sandboxFolder(sandboxKey) });
  // Keys of one sandbox sort by the time of their making.
  const older = objects.map(({ key }) => key).filter((key) => key < workKey);
  if (older.length > 0) await env.STORE.delete(older);
}

/** Deletes all that was ever saved of a sandbox. Safe to repeat. */
export async function deleteSandboxWork(env: Env, sandboxKey: string): Promise<void> {
  await deletePrefix(env.STORE, sandboxFolder(sandboxKey));
  await leaveBase(env.DB, sandboxKey);
}
