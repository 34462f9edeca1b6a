// The base of a project's sandboxes: a checkout of its Target Branch on which the setup has run. It is made in a sandbox of its own, behind
// the start that went without one. Later sandboxes begin with it, and their saved work leaves out what it holds.
import { codeHost } from "../../src/code-host/code-host.ts";
import type { Env } from "../../src/env.ts";
import { reasonOf } from "../../src/error-text.ts";
import { newId, newSecret } from "../../src/ids.ts";
import type { RepositoryRef } from "../../src/rules/project/repository.ts";
import { isRefusal } from "../../src/rules/refusal.ts";
import { type ProgramClient, programClient } from "../../src/sandbox/client.ts";
import { sandboxDriver } from "../../src/sandbox/driver-choice.ts";
import type { Checkout } from "../../src/sandbox/protocol.ts";
import { baseLayerKey } from "../../src/storage/archives.ts";
import { putStream } from "../../src/storage/objects.ts";
import type { Project } from "../../src/storage/queries/projects.ts";
import {
  beginAnew,
  beginBase,
  finishBase,
  holdBase,
  leaveBase,
  markBaseUnmade,
  retireBase,
  takeBase,
} from "../../src/storage/queries/sandbox-bases.ts";

export interface BaseWanted {
  project: Pick<Project, "id" | "targetBranch"> & RepositoryRef;
  /** The version of the sandbox program in whose image the setup runs. */
  programVersion: string;
  checkout: Checkout;
}

/** Increased if sandboxes must not start from older bases any more. Saved work on an older base is still restored. */
const baseVersion = 2;

/** A longer id needs settings of git that no base holds. */
const commitPattern = /^[0-9a-f]{40}$/;

/** The branch of a base's checkout. A sandbox that begins with the base leaves it. */
const baseBranchName = "switchyard/base";

/** Restores the matching base in an empty sandbox. Without one that can be read, a fresh checkout follows. */
export async function beginWithBase(
  env: Env,
  program: ProgramClient,
  sandboxKey: string,
  wanted: BaseWanted,
): Promise<void> {
  const projectId = wanted.project.id;
  if (!(await beginAnew(env.DB, sandboxKey, projectId))) return;
  const commit = await targetCommit(env, wanted);
  if (commit === null) return;
  const id = await takeBase(env.DB, sandboxKey, { projectId, fingerprint: await fingerprintOf(wanted, commit) });
  if (id === null) return;
  const layer = await env.STORE.get(baseLayerKey(projectId, id));
  const begun = layer && (await program.restoreBase(layer.body, { beneathWork: false }));
  if (begun?.ok) return;
  console.error("base cannot be used", id, begun ? reasonOf(begun.refusal.message) : "missing from storage");
  await retireBase(env.DB, id);
  await leaveBase(env.DB, sandboxKey);
}

/** Makes a missing base, in a sandbox without turns. A failure is only logged. */
export async function makeBase(env: Env, wanted: BaseWanted): Promise<void> {
  const projectId = wanted.project.id;
  const commit = await targetCommit(env, wanted);
  if (commit === null) return;
  const id = newId();
  const base = { projectId, fingerprint: await fingerprintOf(wanted, commit) };
  if (!(await beginBase(env.DB, id, base, Date.now()))) return;
  const driver = sandboxDriver(env, `b${id.replaceAll("-", "")}`);
  try {
    const secret = newSecret();
    await driver.start(secret);
    const layer = await readyBase(programClient(driver, { secret }), { ...wanted, commit, id });
    await putStream(env.STORE, baseLayerKey(projectId, id), layer);
    // The sweep of a retired base may have been here before the layer was.
    if (!(await finishBase(env.DB, id))) await env.STORE.delete(baseLayerKey(projectId, id));
  } catch (error) {
    console.error("base not made", id, reasonOf(error));
    await markBaseUnmade(env.DB, id);
  } finally {
    await driver.stop().catch((error: unknown) => console.error("sandbox of a base not ended", id, reasonOf(error)));
  }
}

/**
 * Makes a base of a main sandbox that was just set up, so that its saved work is small. Nothing but the setup has run in it. Without a base, all
 * of it is saved.
 */
export async function makeOwnBase(
  env: Env,
  program: ProgramClient,
  { key: sandboxKey, head, wanted }: { key: string; head: string | null; wanted: BaseWanted },
): Promise<void> {
  const projectId = wanted.project.id;
  const id = newId();
  try {
    const commit = await targetCommit(env, wanted);
    if (commit === null || commit !== head) return;
    const layer = await program.makeBase(id);
    if (!layer.ok) throw new Error(layer.refusal.message);
    await putStream(env.STORE, baseLayerKey(projectId, id), layer.value);
    const fingerprint = await fingerprintOf(wanted, commit);
    await holdBase(env.DB, { sandboxKey, id, projectId, fingerprint, now: Date.now() });
  } catch (error) {
    console.error("the main sandbox goes without a base", sandboxKey, reasonOf(error));
    await env.STORE.delete(baseLayerKey(projectId, id));
  }
}

/** Checks out one commit of the Target Branch, sets it up, and answers the layer. */
async function readyBase(
  program: ProgramClient,
  { programVersion, checkout, commit, id }: BaseWanted & { commit: string; id: string },
): Promise<AsyncIterable<Uint8Array>> {
  const status = await program.status();
  if (!status.ok || status.value.programVersion !== programVersion) throw new Error("its program is another one");
  const made = await program.checkout({ ...checkout, branch: baseBranchName, commit });
  if (!made.ok) throw new Error(made.refusal.message);
  const layer = await program.makeBase(id);
  if (!layer.ok) throw new Error(layer.refusal.message);
  return layer.value;
}

/** The code host's head of the Target Branch. Null for a sandbox on another branch, and if the code host does not respond. */
async function targetCommit(env: Env, { project, checkout }: BaseWanted): Promise<string | null> {
  if (checkout.baseBranch !== project.targetBranch) return null;
  const commit = await codeHost(env, project).readBranchHead(project.repository, project.targetBranch);
  return isRefusal(commit) || !commitPattern.test(commit) ? null : commit;
}

/** Two bases with the same fingerprint are interchangeable. */
async function fingerprintOf({ programVersion, checkout }: BaseWanted, commit: string): Promise<string> {
  const { setup, env, remoteUrl } = checkout;
  const parts = JSON.stringify([baseVersion, programVersion, commit, setup, env, remoteUrl]);
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(parts));
  return [...new Uint8Array(digest)].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}
