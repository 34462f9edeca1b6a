// The checkout that comes with a base: set up for the session that the base was made in, and made another session's own here.
import { existsSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import type { Checkout } from "../src/sandbox/protocol.ts";
import { asideRecord } from "./checkout-record.ts";
import type { Folders } from "./folders.ts";
import { git, tryGit } from "./git-command.ts";

/** Shorter than any caller waits, so that there is time left for a clone. */
const fetchTimeoutMs = 2 * 60_000;

/** Makes a base's checkout the session's own. False when there is none, or the remote has moved on since it was made. */
export async function adoptBase(folders: Folders, wanted: Checkout): Promise<boolean> {
  if (!existsSync(asideRecord(folders)) || !existsSync(join(folders.project, ".git"))) return false;
  await rm(asideRecord(folders));
  const access = { remoteUrl: wanted.remoteUrl, pass: wanted.pass };
  const start = `refs/remotes/origin/${wanted.baseBranch}`;
  await git(folders, ["remote", "set-url", "origin", wanted.remoteUrl]);
  await git(folders, ["fetch", "--quiet", "--prune", "origin"], { access, timeoutMs: fetchTimeoutMs });
  const commitOf = async (name: string) =>
    (await tryGit(folders, ["rev-parse", "--verify", "--quiet", name])).stdout.trim();
  const [made, wantedStart, own] = await Promise.all(
    ["HEAD", start, `refs/remotes/origin/${wanted.branch}`].map(commitOf),
  );
  if (made !== wantedStart || own !== "") return false;
  await git(folders, ["checkout", "--quiet", "--no-track", "-B", wanted.branch, start]);
  const branches = (await git(folders, ["for-each-ref", "--format=%(refname)", "refs/heads"])).split("\n");
  for (const branch of branches) {
    if (branch !== "" && branch !== `refs/heads/${wanted.branch}`) await git(folders, ["update-ref", "-d", branch]);
  }
  // What happened to HEAD happened to another session's.
  await rm(join(folders.project, ".git", "logs"), { recursive: true, force: true });
  return true;
}
