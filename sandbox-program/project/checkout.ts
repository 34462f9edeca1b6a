// Creates the checkout: clones the project, switches to the session's branch, and runs the setup
// commands.
import { readdir, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { CheckedOut, Checkout } from "../../src/sandbox-protocol/protocol.ts";
import { deleteFolder } from "../archive/folder-removal.ts";
import type { Folders } from "../folders.ts";
import { cancelHandMerge } from "../git/branch/hand-merge.ts";
import type { GitAccess } from "../git/gateway-remote.ts";
import { git, tryGit } from "../git/git-command.ts";
import { findHeadCommit } from "../git/head.ts";
import { deleteLocks } from "../git/locks.ts";
import { newestDepth } from "../git/newest-pack.ts";
import { cloneBranches, fetchHistory, isTracked } from "../git/tracked-branches.ts";
import { createRefusal, toRefusal } from "../http/refusal.ts";
import { isShallow, recordRest, waitUntilWhole } from "../rest-of-checkout.ts";
import { adoptPrebuild, agentIdentity, isWorthABase, readLeftOut } from "./base-checkout.ts";
import { type CheckoutRecord, readCheckout, readCheckoutWithoutGit, writeCheckout } from "./checkout-record.ts";
import { adoptSpare } from "./follow.ts";
import { createSetupEnd, type SetupBounds, type SetupEnd, setUp, setupTimeMs } from "./setup.ts";

/** Shorter than the timeout of any caller, so that the refusal reaches it. */
const cloneTimeoutMs = 8 * 60_000;
/** A session that started with such a base would lack what the setup left there. */
const traces = "The setup leaves something in the home, or in git's configuration or hooks: no base has it.";

interface Observers {
  /** Shows the end of setup's output. */
  end: SetupEnd;
  /** Takes the arrival of the commits that a clone has left out. */
  onRest(arriving: Promise<unknown>): void;
}

/**
 * Brings the checkout into the requested state. Skips steps that are done. An error of git refuses
 * only a new checkout: an existing project may be in any state, and its user needs the sandbox to
 * repair it.
 */
export async function ensureCheckout(
  folders: Folders,
  wanted: Checkout,
  observers: Observers = { end: createSetupEnd(), onRest: (arriving) => recordRest("clone", arriving) },
): Promise<CheckedOut> {
  const { end } = observers;
  let hasRest = false;
  const onRest = (arriving: Promise<unknown>) => {
    hasRest = true;
    observers.onRest(arriving);
  };
  end.clear();
  const existing = readCheckout(folders);
  const isSpare = existing !== null && existing.branch === wanted.spareBranch;
  const base = existing === null ? await adoptPrebuild(folders, wanted) : null;
  const found = isSpare
    ? await adoptSpare(folders, wanted, existing)
    : (existing ?? (base?.isAdopted ? await createRecord(folders, wanted, base.movedMs === null) : null));
  // A turn of a killed sandbox may have left locks and an unfinished merge. No turn runs now.
  if (found) {
    await deleteLocks(folders);
    await cancelHandMerge(folders).catch(() => {});
  }
  const withoutGit = found ? null : readCheckoutWithoutGit(folders);
  const unrepaired = withoutGit ? await repair(folders, wanted, withoutGit) : undefined;
  const record = found ?? withoutGit ?? (await clone(folders, wanted, onRest));
  if (record.remoteUrl !== wanted.remoteUrl && (await setRemoteUrl(folders, wanted.remoteUrl))) {
    record.remoteUrl = wanted.remoteUrl;
    await writeCheckout(folders, record);
  }
  const movedMs = base?.isAdopted ? base.movedMs : null;
  const startedAt = performance.now();
  const isMoved = movedMs !== null;
  const steps = { isMoved, end, onRest };
  const { setupFailure, fitsABase, isRecloned } = await prepareCheckout(folders, wanted, record, steps);
  const setUpMs = performance.now() - startedAt;
  const head = await findHeadCommit(folders);
  const isNew = (isRecloned || (found === null && withoutGit === null)) && fitsABase && setupFailure === undefined;
  const isOfBase = async () => wanted.branch === wanted.baseBranch || !(await isTracked(folders, wanted.branch));
  return {
    head,
    // A long history is large, and work on a base is saved without it.
    paysABase: isNew && (await isOfBase()) && (hasRest || isWorthABase(folders)),
    unrepaired,
    setupFailure,
    moved: isSpare && !record.isSetUp ? true : undefined,
    baseMovedMs: movedMs === null || isRecloned ? undefined : Math.round(movedMs + setUpMs),
    baseUnmoved: isRecloned
      ? "Its setup failed on what the base holds."
      : base?.isAdopted === false
        ? base.reason
        : undefined,
  };
}

interface Readiness {
  setupFailure: string | undefined;
  /** False if the setup left files that a base does not contain. */
  fitsABase: boolean;
  /** True if the base was useless: its checkout was cloned and set up again. */
  isRecloned: boolean;
}

/**
 * Sets up a checkout unless it is already set up. After a base was moved to a newer commit, files
 * of the older setup may make setup fail. Then the checkout is cloned again, within the remaining
 * time. Nothing is lost, because nobody has worked in it.
 */
async function prepareCheckout(
  folders: Folders,
  wanted: Checkout,
  record: CheckoutRecord,
  { isMoved, end, onRest }: Observers & { isMoved: boolean },
): Promise<Readiness> {
  if (record.isSetUp) return { setupFailure: undefined, fitsABase: true, isRecloned: false };
  // The time of the setup begins when its commands can run.
  if (wanted.setup.length > 0) await waitUntilWhole();
  const givenUpAt = Date.now() + setupTimeMs;
  const bounds = { givenUpAt, end };
  if (!isMoved) return { ...(await setUpWatched(folders, wanted, record, bounds)), isRecloned: false };
  const moved = await setUpWatched(folders, { ...wanted, reportsSetupFailure: true }, record, bounds);
  if (moved.setupFailure === undefined) return { ...moved, isRecloned: false };
  if (Date.now() < givenUpAt) {
    await emptyHome(folders);
    const cloned = await clone(folders, wanted, onRest);
    return { ...(await setUpWatched(folders, wanted, cloned, bounds)), isRecloned: true };
  }
  if (wanted.reportsSetupFailure !== true) throw createRefusal("SETUP_FAILED", moved.setupFailure);
  return { ...moved, isRecloned: false };
}

/** Sets up a checkout. For a base, also checks whether setup leaves files outside of it. */
async function setUpWatched(
  folders: Folders,
  wanted: Checkout,
  record: CheckoutRecord,
  bounds: SetupBounds,
): Promise<Omit<Readiness, "isRecloned">> {
  const isForBase = wanted.commit !== undefined || wanted.reportsSetupFailure === true;
  const before = isForBase ? readLeftOut(folders) : null;
  const setupFailure = await setUp(folders, wanted, record, bounds);
  const fitsABase = before === null || readLeftOut(folders) === before;
  if (!fitsABase && wanted.commit !== undefined) throw createRefusal("UNSAVABLE", traces);
  return { setupFailure, fitsABase };
}

/** Deletes what a failed setup left in the home folder. */
async function emptyHome({ home }: Folders): Promise<void> {
  for (const name of await readdir(home)) await deleteFolder(join(home, name));
}

/** Records the checkout that came with a base. */
async function createRecord(
  folders: Folders,
  { remoteUrl, branch, baseBranch }: Checkout,
  isSetUp: boolean,
): Promise<CheckoutRecord> {
  const record = { remoteUrl, branch, baseBranch, isSetUp };
  await writeCheckout(folders, record);
  return record;
}

/**
 * Clones into a temporary folder and renames it, so that an interrupted clone is never taken for a
 * checkout. For an early start, the newest commits are enough.
 */
async function clone(folders: Folders, wanted: Checkout, onRest: Observers["onRest"]): Promise<CheckoutRecord> {
  await waitUntilWhole();
  await deleteFolder(folders.project);
  const unfinished = await cloneAside(folders, wanted, {
    ...wanted,
    depth: wanted.early === true ? newestDepth : null,
  });
  const inClone = { cwd: unfinished };
  const start = `refs/remotes/origin/${wanted.baseBranch}`;
  // Checked before setup runs anything of the repository.
  if (wanted.commit !== undefined && (await git(folders, ["rev-parse", start], inClone)).trim() !== wanted.commit)
    throw createRefusal("GIT_REFUSED", `${wanted.baseBranch} is no longer at ${wanted.commit}.`);
  if (await isTracked(folders, wanted.branch, inClone)) {
    // The commit that it shares with its base branch may be an older one.
    if (isShallow(unfinished))
      await fetchHistory(folders, wanted, wanted, { cwd: unfinished, timeoutMs: cloneTimeoutMs });
    await git(folders, ["checkout", "--quiet", "-B", wanted.branch, "--track", `origin/${wanted.branch}`], inClone);
  } else
    await git(
      folders,
      ["checkout", "--quiet", "--no-track", "-B", wanted.branch, `origin/${wanted.baseBranch}`],
      inClone,
    );

  const record = { remoteUrl: wanted.remoteUrl, branch: wanted.branch, baseBranch: wanted.baseBranch, isSetUp: false };
  await writeCheckout(folders, record);
  const hasRest = isShallow(unfinished);
  if (hasRest) await writeFile(folders.unfinished, "", { mode: 0o600 });
  await rename(unfinished, folders.project);
  if (hasRest) onRest(completeHistory(folders, wanted));
  return record;
}

async function completeHistory(folders: Folders, wanted: Checkout): Promise<void> {
  await fetchHistory(folders, wanted, wanted, { timeoutMs: cloneTimeoutMs }).catch((error: unknown) => {
    const { code, message } = toRefusal(error);
    throw createRefusal(code, `The history of the repository could not be fetched. ${message}`);
  });
  await rm(folders.unfinished, { force: true });
}

/** Restores a missing repository. Returns the reason if that fails. */
async function repair(folders: Folders, wanted: Checkout, record: CheckoutRecord): Promise<string | undefined> {
  try {
    await restoreRepository(folders, wanted, record);
    return undefined;
  } catch (error) {
    return toRefusal(error).message;
  }
}

/** The files stay unchanged. Commits that were never pushed become uncommitted changes. */
async function restoreRepository(folders: Folders, wanted: Checkout, record: CheckoutRecord): Promise<void> {
  const unfinished = await cloneAside(folders, wanted, { ...record, depth: null });
  const inClone = { cwd: unfinished };
  const start = (await isTracked(folders, record.branch, inClone)) ? record.branch : record.baseBranch;
  await git(folders, ["update-ref", `refs/heads/${record.branch}`, `refs/remotes/origin/${start}`], inClone);
  await git(folders, ["symbolic-ref", "HEAD", `refs/heads/${record.branch}`], inClone);
  await git(folders, ["read-tree", "HEAD"], inClone);
  await deleteFolder(join(folders.project, ".git"));
  await rename(join(unfinished, ".git"), join(folders.project, ".git"));
}

/** Sets the address of the remote. False if git fails, as with a broken configuration. */
async function setRemoteUrl(folders: Folders, remoteUrl: string): Promise<boolean> {
  return (await tryGit(folders, ["remote", "set-url", "origin", remoteUrl])).exitCode === 0;
}

/** Clones into a temporary folder, without checking out files. Returns the folder. */
async function cloneAside(
  folders: Folders,
  access: GitAccess,
  { branch, baseBranch, depth }: Pick<Checkout, "branch" | "baseBranch"> & { depth: number | null },
) {
  const unfinished = join(folders.tmp, "clone");
  await deleteFolder(unfinished);
  const clone = { branch, baseBranch, access, into: unfinished, author: agentIdentity, depth };
  await cloneBranches(folders, clone, cloneTimeoutMs);
  return unfinished;
}
