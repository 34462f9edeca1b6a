// What a checkout has to do with bases: whether one is worth making of it, and how the one that comes with a base is made the session's own.
import { existsSync } from "node:fs";
import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import type { Checkout } from "../../src/sandbox/protocol.ts";
import { walkTree } from "../archive/layers/tree.ts";
import type { Folders } from "../folders.ts";
import { gatewayRemote } from "../git/gateway-remote.ts";
import { git, tryGit } from "../git/git-command.ts";
import { asideRecord, type CheckoutRecord } from "./checkout-record.ts";

/** Shorter than any caller waits, so that there is time left for a clone. */
const fetchTimeoutMs = 2 * 60_000;

/** A smaller sandbox is made anew as quickly as a base is fetched. */
const filesMin = 500;
const bytesMin = 4 * 1_024 * 1_024;

/** Whether there is enough in the sandbox for a base to pay. */
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

/** Makes a base's checkout the session's own. False when there is none, or the remote has moved on since it was made. */
export async function adoptBase(folders: Folders, wanted: Checkout): Promise<boolean> {
  if (!existsSync(asideRecord(folders)) || !existsSync(join(folders.project, ".git"))) return false;
  const { branch: otherBranch }: CheckoutRecord = JSON.parse(await readFile(asideRecord(folders), "utf8"));
  await rm(asideRecord(folders));
  const gateway = gatewayRemote(wanted);
  const start = `refs/remotes/origin/${wanted.baseBranch}`;
  await git(folders, ["remote", "set-url", "origin", wanted.remoteUrl]);
  await git(folders, ["fetch", "--quiet", "--prune", gateway.name], { access: gateway, timeoutMs: fetchTimeoutMs });
  const commitOf = async (name: string) =>
    (await tryGit(folders, ["rev-parse", "--verify", "--quiet", name])).stdout.trim();
  const [made, wantedStart, own] = await Promise.all(
    ["HEAD", start, `refs/remotes/origin/${wanted.branch}`].map(commitOf),
  );
  if (made !== wantedStart || own !== "") return false;
  await git(folders, ["checkout", "--quiet", "--no-track", "-B", wanted.branch, start]);
  if (otherBranch !== wanted.branch) await git(folders, ["update-ref", "-d", `refs/heads/${otherBranch}`]);
  // What happened to HEAD happened to another session's.
  await rm(join(folders.project, ".git", "logs"), { recursive: true, force: true });
  return true;
}
