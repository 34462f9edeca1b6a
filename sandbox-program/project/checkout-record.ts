// The record of a checkout, stored next to it: its repository, its branches, and whether setup has
// finished.
import { readFileSync } from "node:fs";
import { rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Folders } from "../folders.ts";
import { createRefusal } from "../http/refusal.ts";
import { isThere } from "../presence.ts";

export interface CheckoutRecord {
  remoteUrl: string;
  branch: string;
  baseBranch: string;
  isSetUp: boolean;
  /** How the last setup failed, if that was reported. */
  setupFailure?: string | undefined;
  /** False while services may run from an earlier commit. */
  isServed?: false | undefined;
}

/** The record of a finished checkout, or null. */
export function readCheckout(folders: Folders): CheckoutRecord | null {
  return hasRepository(folders) ? readRecord(folders) : null;
}

/**
 * The record of a checkout whose `.git` folder is missing, because a command can delete it; null
 * for any other.
 */
export function readCheckoutWithoutGit(folders: Folders): CheckoutRecord | null {
  return !hasRepository(folders) && isThere(folders.project) ? readRecord(folders) : null;
}

/** The record of the project, whatever the state of its repository; null if there is no project. */
export function readProject(folders: Folders): CheckoutRecord | null {
  return readCheckout(folders) ?? readCheckoutWithoutGit(folders);
}

const hasRepository = ({ project }: Folders) => isThere(join(project, ".git", "HEAD"));

function readRecord(folders: Folders): CheckoutRecord | null {
  try {
    return JSON.parse(readFileSync(recordFile(folders), "utf8"));
  } catch {
    return null;
  }
}

/** The record of the checkout. Refuses if there is none. */
export function requireCheckout(folders: Folders): CheckoutRecord {
  const record = readCheckout(folders);
  if (!record)
    throw createRefusal(
      "NO_CHECKOUT",
      readCheckoutWithoutGit(folders) ? repositoryGone : "The sandbox holds no checkout yet.",
    );
  return record;
}

const repositoryGone =
  "The project's folder is no longer a git repository. Send a message: its turn starts with the repository restored, and the files as they are.";
const recordName = "checkout.json";
const asideName = "base-checkout.json";
const recordFile = (folders: Folders) => join(folders.state, recordName);

export async function writeCheckout(folders: Folders, record: CheckoutRecord): Promise<void> {
  const unfinished = `${recordFile(folders)}.new`;
  await writeFile(unfinished, JSON.stringify(record));
  await rename(unfinished, recordFile(folders));
}

/** Records that no service runs from an earlier commit. */
export async function recordServed(folders: Folders): Promise<void> {
  const record = readProject(folders);
  if (record?.isServed === false) await writeCheckout(folders, { ...record, isServed: undefined });
}

/** Renames the record that came with a base, because it describes another session's checkout. */
export async function disownCheckout(state: string): Promise<void> {
  if (isThere(join(state, recordName))) await rename(join(state, recordName), join(state, asideName));
}

/** The file of a renamed record. */
export const getAsideRecordPath = (folders: Folders) => join(folders.state, asideName);
