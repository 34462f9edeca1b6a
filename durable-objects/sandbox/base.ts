// The base of a project's sandboxes: a checkout on which the setup has run. The first sandbox that starts from a commit with the current
// settings makes it. Later sandboxes begin with it, and their saved work leaves out what it holds.
import type { Env } from "../../src/env.ts";
import { newId } from "../../src/ids.ts";
import { reasonOf } from "../../src/reason.ts";
import type { SandboxOwner } from "../../src/rules/sandbox/owner.ts";
import type { ProgramClient } from "../../src/sandbox/client.ts";
import type { Checkout } from "../../src/sandbox/protocol.ts";
import { baseLayerKey } from "../../src/storage/archives.ts";
import { putStream } from "../../src/storage/objects.ts";
import {
  beginAnew,
  beginBase,
  finishBase,
  leaveBase,
  retireBase,
  takeBase,
} from "../../src/storage/queries/sandbox-bases.ts";

export interface BaseWanted {
  sandboxKey: string;
  projectId: SandboxOwner["projectId"];
  /** The version of the sandbox program in whose image the setup ran. */
  programVersion: string;
  checkout: Checkout;
}

/** Restores the matching base in an empty sandbox. Without one that can be read, a fresh checkout follows. */
export async function beginWithBase(env: Env, program: ProgramClient, wanted: BaseWanted): Promise<void> {
  const { sandboxKey, projectId, checkout } = wanted;
  if (!(await beginAnew(env.DB, sandboxKey, projectId))) return;
  const remote = await program.remoteBase(checkout);
  if (!remote.ok || remote.value.baseCommit === null) return;
  const fingerprint = await fingerprintOf(wanted, remote.value.baseCommit);
  const id = await takeBase(env.DB, sandboxKey, { projectId, fingerprint });
  if (id === null) return;
  const layer = await env.STORE.get(baseLayerKey(projectId, id));
  const begun = layer && (await program.restoreBase(layer.body, { beneathWork: false }));
  if (begun?.ok) return;
  console.error("base cannot be used", id, begun ? reasonOf(begun.refusal.message) : "missing from storage");
  await retireBase(env.DB, id);
  await leaveBase(env.DB, sandboxKey);
}

/** Makes a base from a sandbox in which nobody has worked yet. A failure is only logged. */
export async function makeBase(env: Env, program: ProgramClient, wanted: BaseWanted, commit: string): Promise<void> {
  const { sandboxKey, projectId } = wanted;
  const id = newId();
  const fingerprint = await fingerprintOf(wanted, commit);
  if (!(await beginBase(env.DB, id, { projectId, fingerprint }, Date.now()))) return;
  try {
    const layer = await program.makeBase(id);
    if (!layer.ok) throw new Error(layer.refusal.message);
    await putStream(env.STORE, baseLayerKey(projectId, id), layer.value);
    await finishBase(env.DB, id, sandboxKey);
  } catch (error) {
    console.error("base not made", reasonOf(error));
    await retireBase(env.DB, id);
  }
}

/** Two bases with the same key are interchangeable. */
async function fingerprintOf({ programVersion, checkout }: BaseWanted, commit: string): Promise<string> {
  const { setup, env, remoteUrl } = checkout;
  const parts = JSON.stringify([programVersion, commit, setup, env, remoteUrl]);
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(parts));
  return [...new Uint8Array(digest)].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}
