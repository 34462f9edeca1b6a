// The checkout: how the project's code comes into the sandbox, on the session's own branch, and is made ready by its setup commands.
import { existsSync, readFileSync } from "node:fs";
import { rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { CheckedOut, Checkout } from "../src/sandbox/protocol.ts";
import type { Folders } from "./folders.ts";
import { git, tryGit } from "./git-command.ts";
import { refusal } from "./refusal.ts";
import { runSetup } from "./setup.ts";

/** What is remembered of the checkout, beside it on disk. */
export interface CheckoutRecord {
  remoteUrl: string;
  branch: string;
  baseBranch: string;
  isSetUp: boolean;
}

/** Shorter than any caller waits, so that the refusal reaches it. */
const cloneTimeoutMs = 8 * 60_000;
const identity = { name: "Switchyard Agent", email: "agent@switchyard.invalid" };

/** The record of a finished checkout, or null. */
export function readCheckout(folders: Folders): CheckoutRecord | null {
  if (!existsSync(join(folders.project, ".git"))) return null;
  try {
    return JSON.parse(readFileSync(recordFile(folders), "utf8"));
  } catch {
    return null;
  }
}

/** The record of the checkout, which has to be there. */
export function requireCheckout(folders: Folders): CheckoutRecord {
  const record = readCheckout(folders);
  if (!record) throw refusal("NO_CHECKOUT", "The sandbox holds no checkout yet.");
  return record;
}

/** Brings the checkout to where the call wants it, doing only what is still to be done. */
export async function ensureCheckout(folders: Folders, wanted: Checkout): Promise<CheckedOut> {
  const record = readCheckout(folders) ?? (await clone(folders, wanted));
  if (record.remoteUrl !== wanted.remoteUrl) {
    await git(folders, ["remote", "set-url", "origin", wanted.remoteUrl]);
    record.remoteUrl = wanted.remoteUrl;
    await writeRecord(folders, record);
  }
  if (!record.isSetUp) {
    await runSetup(folders, wanted.setup, wanted.env);
    await writeRecord(folders, { ...record, isSetUp: true });
  }
  return { head: (await git(folders, ["rev-parse", "HEAD"])).trim() };
}

/** Clones beside the project folder and moves it there whole: what an interruption leaves is never taken for a checkout. */
async function clone(folders: Folders, wanted: Checkout): Promise<CheckoutRecord> {
  const unfinished = join(folders.tmp, "clone");
  await rm(unfinished, { recursive: true, force: true });
  await rm(folders.project, { recursive: true, force: true });
  const access = { remoteUrl: wanted.remoteUrl, pass: wanted.pass };
  const inClone = { cwd: unfinished };
  await git(folders, ["clone", "--quiet", "--no-checkout", "--origin", "origin", "--", wanted.remoteUrl, unfinished], {
    cwd: folders.tmp,
    access,
    timeoutMs: cloneTimeoutMs,
  });
  await git(folders, ["config", "user.name", identity.name], inClone);
  await git(folders, ["config", "user.email", identity.email], inClone);
  const isPublished =
    (await tryGit(folders, ["rev-parse", "--verify", "--quiet", `refs/remotes/origin/${wanted.branch}`], inClone))
      .exitCode === 0;
  if (isPublished)
    await git(folders, ["checkout", "--quiet", "-B", wanted.branch, "--track", `origin/${wanted.branch}`], inClone);
  else
    await git(
      folders,
      ["checkout", "--quiet", "--no-track", "-B", wanted.branch, `origin/${wanted.baseBranch}`],
      inClone,
    );

  const record = { remoteUrl: wanted.remoteUrl, branch: wanted.branch, baseBranch: wanted.baseBranch, isSetUp: false };
  await writeRecord(folders, record);
  await rename(unfinished, folders.project);
  return record;
}

const recordFile = (folders: Folders) => join(folders.state, "checkout.json");

async function writeRecord(folders: Folders, record: CheckoutRecord): Promise<void> {
  const unfinished = `${recordFile(folders)}.new`;
  await writeFile(unfinished, JSON.stringify(record));
  await rename(unfinished, recordFile(folders));
}
