// A sandbox's work in storage. Everything besides its base is saved as one layer under a new key, so that an interrupted save leaves the
// previous one intact.
import type { Env } from "../../src/env.ts";
import { reasonOf } from "../../src/error-text.ts";
import { newId } from "../../src/ids.ts";
import { isRefusal } from "../../src/rules/refusal.ts";
import type { ProgramClient } from "../../src/sandbox/program/client.ts";
import { baseOfSandbox, leaveBase } from "../../src/sandbox/queries/prebuilds.ts";
import { saved } from "../../src/sandbox/rules/lifecycle.ts";
import { sandboxFolder, workLayerKey } from "../../src/storage/archives.ts";
import { putStream } from "../../src/storage/objects.ts";
import { deleteFolder } from "../../src/storage/owner-folder.ts";
import { forgetFolder, forgetting, type ObjectSize, recountStored } from "../../src/storage/queries/stored-objects.ts";
import type { SandboxContext } from "./context.ts";

/** Saves the work of a generation. It counts unless the sandbox is gone meanwhile; throws if it could not be saved completely. */
export async function saveWork(context: SandboxContext, generation: number): Promise<void> {
  const { env, access, shell } = context;
  await access.inFlight.saving("save", async () => {
    const work = await access.whileThere(() => saveSandboxWork(env, access.key, access.program()));
    if (work === undefined) return;
    await uncritically(access.key, countWork(context, work));
    const archiveKey = work.key;
    const outcome = shell.decide((sandbox) => saved(sandbox, { generation, archiveKey }));
    if (isRefusal(outcome) || outcome.replaced === null) return;
    if (outcome.replaced === archiveKey) {
      await env.STORE.delete(archiveKey);
      await uncritically(access.key, forgetting(env.DB, [archiveKey]).run());
    } else {
      await dropOlderWork(env, access.key, archiveKey);
      await uncritically(access.key, forgetFolder(env.DB, sandboxFolder(access.key), archiveKey));
    }
  });
}

/** Counts saved work to the quota of its workspace, which refuses none. */
async function countWork({ env, store }: SandboxContext, work: ObjectSize): Promise<void> {
  const { owner } = store.load();
  if (owner !== null) await recountStored(env.DB, { type: "workspace", id: owner.workspaceId }, [work]);
}

/** A save does not fail because it could not be counted. */
async function uncritically(sandboxKey: string, counting: Promise<unknown>): Promise<void> {
  await counting.catch((error: unknown) =>
    console.error("saved work is not counted right", sandboxKey, reasonOf(error)),
  );
}

/** Saves the work and answers its object. Throws if it could not be saved completely. */
async function saveSandboxWork(env: Env, sandboxKey: string, program: ProgramClient): Promise<ObjectSize> {
  const answer = await program.saveWork(await baseOfSandbox(env.DB, sandboxKey));
  if (!answer.ok) throw new Error(`the sandbox refused a save: ${answer.refusal.code} ${answer.refusal.message}`);
  const workKey = workLayerKey(sandboxKey, newId());
  return { key: workKey, bytes: await putStream(env.STORE, workKey, answer.value) };
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
  await deleteFolder(env, sandboxFolder(sandboxKey));
  await leaveBase(env.DB, sandboxKey);
}
