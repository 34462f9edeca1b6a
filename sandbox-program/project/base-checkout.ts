// Bases of a checkout: decides whether a base is worth creating, and turns the checkout of a
// restored base into that of a new session.
import { readdirSync, readFileSync } from "node:fs";
import { readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Checkout } from "../../src/sandbox-protocol/protocol.ts";
import type { RawPath } from "../archive/layers/raw-path.ts";
import { walkTree } from "../archive/layers/tree.ts";
import type { Folders } from "../folders.ts";
import { isAncestor } from "../git/branch/state.ts";
import { git, tryGit } from "../git/git-command.ts";
import { findRefTips, isHeadOn, isRefMissing } from "../git/ref-tips.ts";
import { fetchTracked } from "../git/tracked-branches.ts";
import { toRefusal } from "../http/refusal.ts";
import { isThere } from "../presence.ts";
import { waitUntilWhole } from "../rest-of-checkout.ts";
import { type CheckoutRecord, getAsideRecordPath } from "./checkout-record.ts";

/** Shorter than the timeout of any caller, so that time is left for a clone. */
const fetchTimeoutMs = 2 * 60_000;
const moveTimeoutMs = 2 * 60_000;

/** Below these sizes, a new clone and setup is as fast as a base. */
const filesMin = 500;
const bytesMin = 4 * 1_024 * 1_024;

/** True if the sandbox is large enough for a base to save time. */
export function isWorthABase(folders: Folders): boolean {
  let files = 0;
  let bytes = 0n;
  for (const { stats } of walkTree(folders.root)) {
    files += 1;
    bytes += stats.size;
    if (files >= filesMin || bytes >= bytesMin) return true;
  }
  return false;
}

/**
 * The outcome for a base. If adopted, it is the session's checkout at the newest commit; `movedMs`
 * is the time that moving there took, null if it was already there. Otherwise `reason` says why, if
 * the base is the cause.
 */
export type PrebuildAdoption = { isAdopted: true; movedMs: number | null } | { isAdopted: false; reason?: string };

/**
 * Turns the checkout of a restored base into the session's own, and moves it to the newest commit
 * of the remote. Null without a base.
 */
export async function adoptPrebuild(folders: Folders, wanted: Checkout): Promise<PrebuildAdoption | null> {
  if (!isThere(getAsideRecordPath(folders)) || !isThere(join(folders.project, ".git"))) return null;
  const { branch: otherBranch }: CheckoutRecord = JSON.parse(await readFile(getAsideRecordPath(folders), "utf8"));
  await rm(getAsideRecordPath(folders));
  try {
    return await becomeBranch(folders, wanted, otherBranch);
  } catch (error) {
    return { isAdopted: false, reason: toRefusal(error).message };
  }
}

async function becomeBranch(folders: Folders, wanted: Checkout, otherBranch: string): Promise<PrebuildAdoption> {
  const { branch, baseBranch } = wanted;
  const start = `refs/remotes/origin/${baseBranch}`;
  await writeFile(configFile(folders), formatConfig(wanted));
  const head = isHeadOn(folders, otherBranch) ? `refs/heads/${otherBranch}` : "HEAD";
  const known = await Promise.all([head, start].map((ref) => readCommit(folders, ref)));
  // Nothing of this sandbox is at the remote then, so a fetch would bring nothing.
  if (known.some((commit) => commit !== wanted.newest))
    await fetchTracked(folders, wanted, wanted, { timeoutMs: fetchTimeoutMs, isEarly: true });
  const [made = "", wantedStart = "", own] = await Promise.all(
    [head, start, `refs/remotes/origin/${branch}`].map((ref) => readCommit(folders, ref)),
  );
  // The requested base is of exactly one commit, so the clone refuses.
  if (wanted.commit !== undefined && wantedStart !== wanted.commit) return { isAdopted: false };
  // A checkout of the base branch itself has no separate branch at the remote.
  if (own !== "" && branch !== baseBranch) return { isAdopted: false };
  const isMoved = made !== wantedStart;
  if (isMoved && !(await isAncestor(folders, made, wantedStart)))
    return { isAdopted: false, reason: `${baseBranch} no longer contains the base's commit.` };
  const startedAt = performance.now();
  // What git ignores may be tracked in another commit.
  if (isMoved) await waitUntilWhole();
  if (isMoved) await moveOn(folders, branch, start);
  const movedMs = isMoved ? performance.now() - startedAt : null;
  await renameBranch(folders, { from: otherBranch, to: branch, commit: wantedStart });
  if (isMoved && branch !== baseBranch) await git(folders, ["update-ref", `refs/heads/${baseBranch}`, start]);
  // The reflog belongs to the session that made the base.
  await rm(join(folders.project, ".git", "logs"), { recursive: true, force: true });
  return { isAdopted: true, movedMs };
}

/** The commit of a ref; empty if there is none. */
async function readCommit(folders: Folders, ref: string): Promise<string> {
  const tip = isRefMissing(folders, ref) ? "" : findRefTips(folders, [ref])?.[0];
  return tip ?? (await tryGit(folders, ["rev-parse", "--verify", "--quiet", ref])).stdout.trim();
}

/**
 * Gives the checked-out commit another branch. A checkout would read every file, because the index
 * describes the files of another disk.
 */
async function renameBranch(
  folders: Folders,
  { from, to, commit }: { from: string; to: string; commit: string },
): Promise<void> {
  const deleted = from === to ? "" : `delete refs/heads/${from}\n`;
  await git(folders, ["update-ref", "--stdin"], { input: `update refs/heads/${to} ${commit}\n${deleted}` });
  await git(folders, ["symbolic-ref", "HEAD", `refs/heads/${to}`]);
}

/**
 * Moves a base's checkout to another commit. Changes and files of the older setup are reverted,
 * because they would get into the session's commits. Only ignored files stay, such as dependencies,
 * and setup runs on them again.
 */
async function moveOn(folders: Folders, branch: string, to: string): Promise<void> {
  const options = { timeoutMs: moveTimeoutMs };
  await git(folders, ["checkout", "--quiet", "--force", "--no-track", "-B", branch, to], options);
  await git(folders, ["clean", "--quiet", "-d", "--force", "--force"], options);
}

/** The author of the agent's commits. */
export const agentIdentity = { name: "Switchyard Agent", email: "agent@switchyard.invalid" };

const configFile = ({ project }: Folders) => join(project, ".git", "config");

/**
 * The git configuration of a session's repository, as a clone writes it. A base does not contain
 * one.
 */
function formatConfig({ remoteUrl, baseBranch }: Checkout): string {
  const quoted = (text: string) => `"${text.replace(/["\\]/g, "\\$&")}"`;
  return [
    "[core]",
    "\trepositoryformatversion = 0",
    "\tfilemode = true",
    "\tbare = false",
    "\tlogallrefupdates = true",
    '[remote "origin"]',
    `\turl = ${quoted(remoteUrl)}`,
    "\tfetch = +refs/heads/*:refs/remotes/origin/*",
    `[branch ${quoted(baseBranch)}]`,
    "\tremote = origin",
    `\tmerge = ${quoted(`refs/heads/${baseBranch}`)}`,
    "[user]",
    `\tname = ${quoted(agentIdentity.name)}`,
    `\temail = ${quoted(agentIdentity.email)}`,
    "",
  ].join("\n");
}

/** A longer list would not fit into an argument of a process. */
const listedCharacters = 32_000;

/**
 * The folders of the project that git ignores, such as installed packages. Empty if git cannot list
 * them.
 */
export async function listIgnoredFolders(folders: Folders): Promise<RawPath[]> {
  const args = ["ls-files", "-z", "--others", "--ignored", "--exclude-standard", "--directory"];
  const listed = await tryGit(folders, args, { encoding: "latin1" }).catch(() => null);
  if (listed?.exitCode !== 0 || listed.stdout.length > listedCharacters) return [];
  return listed.stdout.split("\0").flatMap((name) => (name.endsWith("/") ? [`project/${name.slice(0, -1)}`] : []));
}

/** Caches of package managers, which they create again. */
const caches = [".cache", ".npm"];

/**
 * The files that setup can leave outside of a base: in the home folder, git's configuration and
 * git's hooks.
 */
export function readLeftOut(folders: Folders): string {
  const hooks = join(folders.project, ".git", "hooks");
  return JSON.stringify([
    readdirSync(folders.home).filter((name) => !caches.includes(name)),
    readFileSync(configFile(folders), "utf8"),
    isThere(hooks) ? readdirSync(hooks).filter((name) => !name.endsWith(".sample")) : [],
  ]);
}
