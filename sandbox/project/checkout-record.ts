// The record of a checkout, beside it on disk: whose it is and whether it is finished.
import { existsSync, readFileSync } from "node:fs";
import { rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Folders } from "../folders.ts";
import { refusal } from "../http/refusal.ts";

export interface CheckoutRecord {
  remoteUrl: string;
  branch: string;
  baseBranch: string;
  isSetUp: boolean;
}

/** The record of a finished checkout, or null. */
export function readCheckout(folders: Folders): CheckoutRecord | null {
  return hasRepository(folders) ? readRecord(folders) : null;
}

/** The record of a checkout whose repository is gone, as a command in the project can remove it; null for any other. */
export function readBereftCheckout(folders: Folders): CheckoutRecord | null {
  return !hasRepository(folders) && existsSync(folders.project) ? readRecord(folders) : null;
}

/** The record of the project whose files are there, in whatever state its repository is; null when there is no project. */
export function readProject(folders: Folders): CheckoutRecord | null {
  return readCheckout(folders) ?? readBereftCheckout(folders);
}

const hasRepository = ({ project }: Folders) => existsSync(join(project, ".git", "HEAD"));

function readRecord(folders: Folders): CheckoutRecord | null {
  try {
    return JSON.parse(readFileSync(recordFile(folders), "utf8"));
  } catch {
    return null;
  }
}

/** The record of the checkout, which has to be there. */
export function requireCheckout(folders: Folders): CheckoutRecord {
  const record = readCheckout(folders);
  if (!record)
    throw refusal("NO_CHECKOUT", readBereftCheckout(folders) ? repositoryGone : "The sandbox holds no checkout yet.");
  return record;
}

const repositoryGone =
  "The project's folder is no git repository any more. Send a message: its turn starts with the repository put back, and the files as they are.";
const recordName = "checkout.json";
const asideName = "base-checkout.json";
const recordFile = (folders: Folders) => join(folders.state, recordName);

export async function writeCheckout(folders: Folders, record: CheckoutRecord): Promise<void> {
  const unfinished = `${recordFile(folders)}.new`;
  await writeFile(unfinished, JSON.stringify(record));
  await rename(unfinished, recordFile(folders));
}

/** Puts the record aside that came with a base: what it says was true of another session. */
export async function disownCheckout(state: string): Promise<void> {
  if (existsSync(join(state, recordName))) await rename(join(state, recordName), join(state, asideName));
}

/** The file of a record that was put aside. */
export const asideRecord = (folders: Folders) => join(folders.state, asideName);
