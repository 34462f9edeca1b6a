// Moves a checkout to the newest commit of its base branch: the main sandbox follows the Target
// Branch, and a spare becomes the sandbox of a session.

import { rm } from "node:fs/promises";
import { join } from "node:path";
import type { Checkout, Followed } from "../../src/sandbox-protocol/protocol.ts";
import type { Folders } from "../folders.ts";
import { fetchBranches, isAncestor, updateBranch } from "../git/branch/state.ts";
import { git } from "../git/git-command.ts";
import { findHeadCommit, requireOwnBranch } from "../git/head.ts";
import { createRefusal } from "../http/refusal.ts";
import { waitUntilWhole } from "../rest-of-checkout.ts";
import { type CheckoutRecord, requireCheckout, writeCheckout } from "./checkout-record.ts";
import { setUp } from "./setup.ts";

/**
 * Moves the checkout to the newest commit of its base branch, and runs the setup again if it has
 * moved. Completes an earlier call that was interrupted.
 */
export async function followTargetBranch(folders: Folders, wanted: Checkout): Promise<Followed> {
  let record = requireCheckout(folders);
  if (await fastForward(folders, wanted.baseBranch, wanted.token)) {
    record = { ...record, isSetUp: false, setupFailure: undefined, isServed: false };
    await writeCheckout(folders, record);
  }
  // A setup that failed on this commit would fail again, and a wake has just tried it.
  const setupFailure = record.isSetUp ? undefined : (record.setupFailure ?? (await setUp(folders, wanted, record)));
  return { head: await findHeadCommit(folders), moved: record.isServed === false, setupFailure };
}

/**
 * Turns a spare's checkout into that of a session, at the newest commit. Setup must run again only
 * if the commit has changed.
 */
export async function adoptSpare(folders: Folders, wanted: Checkout, spare: CheckoutRecord): Promise<CheckoutRecord> {
  await requireOwnBranch(folders, spare.branch);
  const isNewest = wanted.newest !== undefined && (await findHeadCommit(folders)) === wanted.newest;
  const moved = !isNewest && (await fastForward(folders, wanted.baseBranch, wanted.token));
  await git(folders, ["branch", "--quiet", "--move", spare.branch, wanted.branch]);
  const record = { ...spare, branch: wanted.branch, isSetUp: !moved };
  await writeCheckout(folders, record);
  await rm(join(folders.project, ".git", "logs"), { recursive: true, force: true });
  return record;
}

/**
 * Fast-forwards the checked-out branch to the newest commit of its base branch. False if there is
 * nothing newer. Refuses, and changes nothing, if local commits or changes are in the way.
 */
async function fastForward(folders: Folders, base: string, token: string): Promise<boolean> {
  const { branch, head, baseHead } = await fetchBranches(folders, { base, token });
  if (await isAncestor(folders, baseHead, head)) return false;
  if (!(await isAncestor(folders, head, baseHead))) {
    throw createRefusal("GIT_REFUSED", `The checkout has commits that ${base} does not have. Nothing was done.`);
  }
  // What git ignores may be tracked in the newer commit.
  await waitUntilWhole();
  await updateBranch(folders, branch, baseHead);
  return true;
}
