// Bases of a checkout: decides whether a base is worth creating, and adopts the checkout of a restored base for a new session.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Checkout } from "../../src/sandbox/protocol.ts";
import { walkTree } from "../archive/layers/tree.ts";
import type { Folders } from "../folders.ts";
import { git, tryGit } from "../git/git-command.ts";
import { fetchTracked } from "../git/tracked-branches.ts";
import { asideRecord, type CheckoutRecord } from "./checkout-record.ts";

/** Shorter than the timeout of any caller, so that time is left for a clone. */
const fetchTimeoutMs = 2 * 60_000;

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

/** Adopts the checkout of a base for the session. False if there is none, or if the remote has newer commits. */
export async function adoptBase(folders: Folders, wanted: Checkout): Promise<boolean> {
  if (!existsSync(asideRecord(folders)) || !existsSync(join(folders.project, ".git"))) return false;
  const { branch: otherBranch }: CheckoutRecord = JSON.parse(await readFile(asideRecord(folders), "utf8"));
  await rm(asideRecord(folders));
  const start = `refs/remotes/origin/${wanted.baseBranch}`;
  await writeFile(configFile(folders), configOf(wanted));
  await fetchTracked(folders, wanted, wanted, fetchTimeoutMs);
  const commitOf = async (name: string) =>
    (await tryGit(folders, ["rev-parse", "--verify", "--quiet", name])).stdout.trim();
  const [made, wantedStart, own] = await Promise.all(
    ["HEAD", start, `refs/remotes/origin/${wanted.branch}`].map(commitOf),
  );
  // A checkout of the base branch itself has no branch of its own at the remote.
  if (made !== wantedStart || (own !== "" && wanted.branch !== wanted.baseBranch)) return false;
  await git(folders, ["checkout", "--quiet", "--no-track", "-B", wanted.branch, start]);
  if (otherBranch !== wanted.branch) await git(folders, ["update-ref", "-d", `refs/heads/${otherBranch}`]);
  // The reflog belongs to the session that made the base.
  await rm(join(folders.project, ".git", "logs"), { recursive: true, force: true });
  return true;
}

/** The author of the agent's commits. */
export const agentIdentity = { name: "Switchyard Agent", email: "agent@switchyard.invalid" };

const configFile = ({ project }: Folders) => join(project, ".git", "config");

/** The git configuration of a session's repository, as a clone writes it. A base does not contain one. */
function configOf({ remoteUrl, baseBranch }: Checkout): string {
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

/** Caches of package managers, which they create again. */
const caches = [".cache", ".npm"];

/** The traces that setup can leave outside of a base: in the home folder, git's configuration and git's hooks. */
export function readLeftOut(folders: Folders): string {
  const hooks = join(folders.project, ".git", "hooks");
  return JSON.stringify([
    readdirSync(folders.home).filter((name) => !caches.includes(name)),
    readFileSync(configFile(folders), "utf8"),
    existsSync(hooks) ? readdirSync(hooks).filter((name) => !name.endsWith(".sample")) : [],
  ]);
}
