// The prebuild of a project's sandboxes: a checkout of its Target Branch on which the setup has
// run. It is made in a sandbox of its own, after a start that had no prebuild. Later sandboxes
// start with it and update it to the newest commit, and their saved work leaves out what it holds.
// A prebuild of the newer commit is made from the previous one if that is worthwhile.
import { createCodeHost } from "../../src/code-host/code-host.ts";
import type { Env } from "../../src/env.ts";
import { getErrorMessage } from "../../src/lib/error-text.ts";
import { getTextHash } from "../../src/lib/hex.ts";
import { createId, createSecret } from "../../src/lib/ids.ts";
import { log } from "../../src/lib/log.ts";
import type { NetworkInForce } from "../../src/network/rules/network.ts";
import { readNetworkForStart } from "../../src/network/settings.ts";
import { findProject, type Project } from "../../src/project/queries.ts";
import type { RepositoryRef } from "../../src/project/rules/repository.ts";
import { isRefusal } from "../../src/rules/refusal.ts";
import { getSandboxDriver } from "../../src/sandbox/program/choose-driver.ts";
import { createProgramClient, type ProgramClient, type RestOfBase } from "../../src/sandbox/program/client.ts";
import type { ProgramAnswer } from "../../src/sandbox/program/response.ts";
import {
  claimPrebuild,
  findFittingPrebuild,
  finishPrebuild,
  type PrebuildKey,
  recordOwnPrebuild,
  recordPrebuildFailure,
  recordPrebuildMove,
  releasePrebuild,
  releasePrebuildToRestart,
  retirePrebuild,
  type StoredPrebuild,
  startPrebuild,
} from "../../src/sandbox/queries/prebuilds.ts";
import { getPrebuildChoice } from "../../src/sandbox/rules/prebuild.ts";
import type { CheckedOut, Checkout } from "../../src/sandbox-protocol/protocol.ts";
import { getPrebuildLayerKey, readStream, writeStream } from "../../src/storage/objects.ts";
import type { SandboxContext } from "./context.ts";
import { getWantedCheckout, getWantedSettings } from "./settings.ts";

export interface WantedPrebuild {
  project: Pick<Project, "id" | "targetBranch"> & RepositoryRef;
  /** What its sandbox may reach. */
  network: NetworkInForce;
  /** The version of the sandbox program in whose image the setup runs. */
  programVersion: string;
  checkout: Checkout;
}

/**
 * Increased when sandboxes must no longer start from older prebuilds. Saved work on an older
 * prebuild is still restored.
 */
const baseVersion = 2;

/** A longer id needs git settings that no prebuild has. */
const commitPattern = /^[0-9a-f]{40}$/;

/**
 * Access to the repository was refused, for example because the sandbox whose token asks for it has
 * ended meanwhile. The next start tries again.
 */
class RemoteRefused extends Error {}

/**
 * The branch of a prebuild's checkout. A sandbox that starts with the prebuild switches to another
 * branch.
 */
const prebuildBranch = "switchyard/base";

/** A prebuild that a sandbox starts with, and the newest commit of the Target Branch. */
export interface LoadedPrebuild {
  id: string;
  newest: string;
}

/**
 * Restores the fitting prebuild in an empty sandbox. Its checkout may need an update to the newest
 * commit. Returns null if there is no readable prebuild; a fresh checkout follows.
 */
export async function loadPrebuild(
  env: Env,
  program: ProgramClient,
  sandboxKey: string,
  wanted: WantedPrebuild,
  newest: Promise<string | undefined>,
): Promise<LoadedPrebuild | null> {
  const projectId = wanted.project.id;
  if (!(await releasePrebuildToRestart(env.DB, sandboxKey, projectId))) return null;
  const commit = await findTargetCommit(env, wanted, await newest);
  if (commit === null) return null;
  const id = await claimPrebuild(env.DB, sandboxKey, await getPrebuildKey(wanted, commit));
  if (id === null) return null;
  const retire = (reason: string) => retireBrokenPrebuild(env, { sandboxKey, id, reason });
  const restored = await restorePrebuild(env, program, { projectId, id, early: true });
  if ("rest" in restored) {
    // If the rest cannot be unpacked, the sandbox ends, and its next start is without this
    // prebuild.
    void restored.rest.then((refusal) => (refusal === null ? null : retire(refusal.message))).catch(() => null);
    return { id, newest: commit };
  }
  await retire(restored.unread);
  return null;
}

/**
 * Why a prebuild was of no use to a checkout; null if it was of use, or if there was none. A setup
 * may fail because of the prebuild's contents. It may also hang because of them until no time is
 * left to run it from scratch.
 */
export function findPrebuildFault(checkout: ProgramAnswer<CheckedOut>): string | null {
  if (checkout.ok) return checkout.value.baseUnmoved ?? null;
  return checkout.refusal.code === "SETUP_FAILED" ? "the setup failed" : null;
}

/**
 * Retires a prebuild that could not be read or updated, for all sandboxes, because the next start
 * would lose as much time with it. The work of this sandbox is saved as a whole.
 */
export async function retireBrokenPrebuild(
  env: Env,
  { sandboxKey, id, reason }: { sandboxKey: string; id: string; reason: string },
): Promise<void> {
  log.warn("prebuild.unusable", { prebuildId: id, sandboxKey, error: reason });
  await retirePrebuild(env.DB, id);
  await releasePrebuild(env.DB, sandboxKey);
}

/**
 * Makes the prebuild that a sandbox started without, or the prebuild of the commit to which the
 * sandbox updated an older one in `movedMs`. Makes only one attempt. If it fails, sandboxes
 * continue without a prebuild.
 */
export async function createMissingPrebuild({ env, calls }: SandboxContext, movedMs: number | null): Promise<void> {
  const { key } = calls;
  const { owner, generation } = calls.sandbox();
  const program = calls.program();
  if (!owner) return;
  try {
    const project = await findProject(env.DB, owner.projectId);
    const status = await program.status();
    if (!project || !status.ok) return;
    const settings = await getWantedSettings(env, { key, owner }, project);
    const checkout = await getWantedCheckout(env, { key, owner, generation }, settings);
    const network = await readNetworkForStart(env, project);
    if (isRefusal(network)) return;
    const wanted = { project, network, programVersion: status.value.programVersion, checkout };
    if (movedMs === null) await createPrebuild(env, wanted);
    else await replaceMovedPrebuild(env, { sandboxKey: key, tookMs: movedMs, wanted });
  } catch (error) {
    log.warn("prebuild.failed", { sandboxKey: key, error });
  }
}

/** Makes a missing prebuild, in a sandbox without turns. A failure is only logged. */
async function createPrebuild(env: Env, wanted: WantedPrebuild): Promise<void> {
  const commit = await findTargetCommit(env, wanted);
  if (commit !== null) await createPrebuildAt(env, wanted, { commit, isCloned: false });
}

/**
 * Makes a prebuild of the newer commit if that is worthwhile. Runs after the start of a sandbox
 * that updated its prebuild.
 */
async function replaceMovedPrebuild(
  env: Env,
  { sandboxKey, tookMs, wanted }: { sandboxKey: string; tookMs: number; wanted: WantedPrebuild },
): Promise<void> {
  const commit = await findTargetCommit(env, wanted);
  if (commit === null) return;
  const moved = await recordPrebuildMove(env.DB, sandboxKey, commit);
  const choice = moved === null ? "keep" : getPrebuildChoice({ ...moved, tookMs }, Date.now());
  if (choice !== "keep") await createPrebuildAt(env, wanted, { commit, isCloned: choice === "clone" });
}

/**
 * Makes the prebuild of a commit in a sandbox of its own, either from the newest fitting prebuild
 * or from scratch.
 */
async function createPrebuildAt(
  env: Env,
  wanted: WantedPrebuild,
  { commit, isCloned }: { commit: string; isCloned: boolean },
): Promise<void> {
  const projectId = wanted.project.id;
  const id = createId();
  const prebuild = await getPrebuildKey(wanted, commit);
  const startedAt = Date.now();
  if (!(await startPrebuild(env.DB, id, prebuild, startedAt))) return;
  const driver = getSandboxDriver(env, `b${id.replaceAll("-", "")}`);
  try {
    const secret = createSecret();
    await driver.start(secret, wanted.network);
    const older = isCloned ? null : await findFittingPrebuild(env.DB, prebuild);
    const { layer, isMoved } = await createPrebuildLayer(env, createProgramClient(driver, { secret }), {
      wanted,
      commit,
      id,
      older,
    });
    await writeStream(env.STORE, getPrebuildLayerKey(projectId, id), layer);
    const clonedAt = older && isMoved ? older.clonedAt : startedAt;
    // If the prebuild was retired meanwhile, the sweep may have run before its layer was stored,
    // and so missed the layer.
    if (!(await finishPrebuild(env.DB, id, clonedAt))) await env.STORE.delete(getPrebuildLayerKey(projectId, id));
  } catch (error) {
    log.warn("prebuild.failed", { prebuildId: id, error });
    await (error instanceof RemoteRefused ? retirePrebuild(env.DB, id) : recordPrebuildFailure(env.DB, id));
  } finally {
    await driver.stop().catch((error: unknown) => log.warn("prebuild.sandbox_not_ended", { prebuildId: id, error }));
  }
}

/**
 * Makes a prebuild from a main sandbox that was just set up, so that its saved work is small. Only
 * the setup has run in it. Without a prebuild, all of it is saved.
 */
export async function createOwnPrebuild(
  env: Env,
  program: ProgramClient,
  { key: sandboxKey, head, wanted }: { key: string; head: string | null; wanted: WantedPrebuild },
): Promise<void> {
  const projectId = wanted.project.id;
  const id = createId();
  try {
    const commit = await findTargetCommit(env, wanted);
    if (commit === null || commit !== head) return;
    const layer = await program.createPrebuild(id);
    if (!layer.ok) throw new Error(layer.refusal.message);
    await writeStream(env.STORE, getPrebuildLayerKey(projectId, id), layer.value);
    await recordOwnPrebuild(env.DB, { ...(await getPrebuildKey(wanted, commit)), sandboxKey, id, now: Date.now() });
  } catch (error) {
    log.warn("prebuild.failed", { prebuildId: id, sandboxKey, error });
    await env.STORE.delete(getPrebuildLayerKey(projectId, id));
  }
}

/**
 * Checks out one commit of the Target Branch, sets it up, and returns the layer. It starts from an
 * older prebuild if one exists. If that prebuild is gone by the time it is read, the checkout is
 * cloned.
 */
async function createPrebuildLayer(
  env: Env,
  program: ProgramClient,
  of: { wanted: WantedPrebuild; commit: string; id: string; older: StoredPrebuild | null },
): Promise<{ layer: AsyncIterable<Uint8Array>; isMoved: boolean }> {
  const { wanted, commit, id, older } = of;
  const { programVersion, checkout, project } = wanted;
  const status = await program.status();
  if (!status.ok || status.value.programVersion !== programVersion) throw new Error("its program is another one");
  const restored =
    older && (await restorePrebuild(env, program, { projectId: project.id, id: older.id, early: false }));
  if (restored && "unread" in restored)
    log.info("prebuild.made_from_scratch", { prebuildId: id, error: restored.unread });
  const made = await program.checkout({ ...checkout, branch: prebuildBranch, commit });
  if (!made.ok) throw new (made.refusal.code === "GIT_REFUSED" ? RemoteRefused : Error)(made.refusal.message);
  const { baseMovedMs, baseUnmoved } = made.value;
  if (baseUnmoved !== undefined) log.info("prebuild.made_from_scratch", { prebuildId: id, error: baseUnmoved });
  const layer = await program.createPrebuild(id);
  if (!layer.ok) throw new Error(layer.refusal.message);
  return { layer: layer.value, isMoved: baseMovedMs !== undefined };
}

/**
 * Restores a prebuild in an empty sandbox. Returns why it cannot be read, or the rest that follows.
 */
async function restorePrebuild(
  env: Env,
  program: ProgramClient,
  { projectId, id, early }: { projectId: string; id: string; early: boolean },
): Promise<RestOfBase | { unread: string }> {
  const layer = await readStream(env.STORE, getPrebuildLayerKey(projectId, id));
  if (layer === null) return { unread: "missing from storage" };
  const restored = await program.restorePrebuild(layer.body, { beneathWork: false, early });
  return restored.ok ? restored.value : { unread: getErrorMessage(restored.refusal.message) };
}

/**
 * The code host's head of the Target Branch, unless it is known. Null for a sandbox on another
 * branch, and if the code host does not respond.
 */
async function findTargetCommit(
  env: Env,
  { project, checkout }: WantedPrebuild,
  known?: string,
): Promise<string | null> {
  if (checkout.baseBranch !== project.targetBranch) return null;
  const commit = known ?? (await createCodeHost(env, project).readBranchHead(project.repository, project.targetBranch));
  return isRefusal(commit) || !commitPattern.test(commit) ? null : commit;
}

/**
 * The keys for finding a prebuild: one for the same commit, and one for a prebuild that can be
 * updated to it.
 */
async function getPrebuildKey(
  { project, network, programVersion, checkout }: WantedPrebuild,
  commit: string,
): Promise<PrebuildKey> {
  const { setup, env, remoteUrl } = checkout;
  // What a setup downloaded with another network is not used.
  const reach = network.mode === "open" ? [] : [network];
  const hashWith = (of: string | null) =>
    getTextHash(JSON.stringify([baseVersion, programVersion, of, setup, env, remoteUrl, ...reach]));
  const [fingerprint, recipe] = await Promise.all([hashWith(commit), hashWith(null)]);
  return { projectId: project.id, fingerprint, recipe };
}
