// A sandbox's work in storage. Everything besides its base is saved as one layer under a new key, so that an interrupted save leaves the
// previous one intact.
import type { Env } from "../../src/env.ts";
import { newId } from "../../src/ids.ts";
import { isRefusal } from "../../src/rules/refusal.ts";
import { saved } from "../../src/rules/sandbox/sandbox.ts";
import type { ProgramClient } from "../../src/sandbox/client.ts";
import { sandboxFolder, workLayerKey } from "../../src/storage/archives.ts";
import { deletePrefix, putStream } from "../../src/storage/objects.ts";
import { baseOfSandbox, leaveBase } from "../../src/storage/queries/sandbox-bases.ts";
import type { SandboxContext } from "./context.ts";

/** Saves the work of a generation. It counts unless the sandbox is gone meanwhile; throws if it could not be saved completely. */
export async function saveWork({ env, access, shell }: SandboxContext, generation: number): Promise<void> {
  await access.inFlight.saving("save", async () => {
    const archiveKey = await access.whileThere(() => saveSandboxWork(env, access.key, access.program()));
    if (archiveKey === undefined) return;
    const outcome = shell.decide((sandbox) => saved(sandbox, { generation, archiveKey }));
    if (isRefusal(outcome) || outcome.replaced === null) return;
    if (outcome.replaced === archiveKey) await env.STORE.delete(archiveKey);
    else await dropOlderWork(env, access.key, archiveKey);
  });
}

/** Saves the work and answers its key. Throws if it could not be saved completely. */
async function saveSandboxWork(env: Env, sandboxKey: string, program: ProgramClient): Promise<string> {
  const answer = await program.saveWork(await baseOfSandbox(env.DB, sandboxKey));
  if (!answer.ok) throw new Error(`the sandbox refused a save: ${answer.refusal.code} ${answer.refusal.message}`);
  const workKey = workLayerKey(sandboxKey, newId());
  await putStream(env.STORE, workKey, answer.value);
  return workKey;
}

/** Deletes every save older than the current one, including saves that never became current. Safe to repeat. */
async function dropOlderWork(env: Env, sandboxKey: string, workKey: string): Promise<void> {
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
