// A sandbox's work in storage. Everything besides its base is saved as one layer under a new key, so that an interrupted save leaves the
// previous one intact.
import type { Env } from "../../src/env.ts";
import { newId } from "../../src/ids.ts";
import type { ProgramClient } from "../../src/sandbox/client.ts";
import { sandboxFolder, workLayerKey } from "../../src/storage/archives.ts";
import { deletePrefix, putStream } from "../../src/storage/objects.ts";
import { baseOfSandbox, leaveBase } from "../../src/storage/queries/sandbox-bases.ts";

/** Saves the work and answers its key. Throws if it could not be saved completely. */
export async function saveSandboxWork(env: Env, sandboxKey: string, program: ProgramClient): Promise<string> {
  const answer = await program.saveWork(await baseOfSandbox(env.DB, sandboxKey));
  if (!answer.ok) throw new Error(`the sandbox refused a save: ${answer.refusal.code} ${answer.refusal.message}`);
  const workKey = workLayerKey(sandboxKey, newId());
  await putStream(env.STORE, workKey, answer.value);
  return workKey;
}

/** Deletes every save older than the current one, including saves that never became current. Safe to repeat. */
export async function dropOlderWork(env: Env, sandboxKey: string, workKey: string): Promise<void> {
  const { objects } = await env.STORE.list({ prefix: sandboxFolder(sandboxKey) });
  // The keys of one sandbox sort by creation time.
  const older = objects.map(({ key }) => key).filter((key) => key < workKey);
  if (older.length > 0) await env.STORE.delete(older);
}

/** Deletes all saved work of a sandbox. Safe to repeat. */
export async function deleteSandboxWork(env: Env, sandboxKey: string): Promise<void> {
  await deletePrefix(env.STORE, sandboxFolder(sandboxKey));
  await leaveBase(env.DB, sandboxKey);
}
