// A sandbox's work in storage: its folder is saved as one archive under a key of its own, so that a cut-off save leaves the one before.
import type { Env } from "../env.ts";
import { newId } from "../ids.ts";
import type { ProgramClient } from "../sandbox/client.ts";
import { deletePrefix, putStream } from "../storage/objects.ts";

/** Saves the work and answers the archive's key. Throws when it could not be saved whole. */
export async function saveSandboxWork(env: Env, sandboxKey: string, program: ProgramClient): Promise<string> {
  const answer = await program.archive();
  if (!answer.ok || answer.body === null) {
    await answer.body?.cancel();
    throw new Error(`the sandbox answered ${answer.status} to an archive`);
  }
  const archiveKey = `${folderOf(sandboxKey)}${newId()}.tar.gz`;
  await putStream(env.STORE, archiveKey, answer.body);
  return archiveKey;
}

/** Deletes all that was ever saved of a sandbox. Safe to repeat. */
export async function deleteSandboxWork(env: Env, sandboxKey: string): Promise<void> {
  await deletePrefix(env.STORE, folderOf(sandboxKey));
}

function folderOf(sandboxKey: string): string {
  return `sandboxes/${sandboxKey}/`;
}
