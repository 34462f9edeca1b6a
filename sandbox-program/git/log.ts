// The commits that the session's branch has beyond its base.
import type { GitLog } from "../../src/sandbox-protocol/protocol.ts";
import type { Folders } from "../folders.ts";
import { requireCheckout } from "../project/checkout-record.ts";
import { getBaseRef } from "./base.ts";
import { git } from "./git-command.ts";
import { findHeadCommit } from "./head.ts";

const commitsMax = 1_000;
/** The end of the year 9999. A time after it has no common text form. */
const lastSecond = 253_402_300_799;
const fields = ["%H", "%an", "%ct", "%B"];

/** The newest commits first. */
export async function readLog(folders: Folders, base: string | null): Promise<GitLog> {
  requireCheckout(folders);
  if ((await findHeadCommit(folders)) === null) return { commits: [] };
  const range = `${await getBaseRef(folders, base)}..HEAD`;
  const format = `--format=tformat:${fields.join("%x00")}`;
  const args = ["-z", "--no-show-signature", "--no-color", "--encoding=UTF-8", `--max-count=${commitsMax}`, format];
  // The checkout's configuration may enable patches.
  const values = (await git(folders, ["log", ...args, "--no-patch", range, "--"])).split("\0");
  const commits: GitLog["commits"] = [];
  for (let at = 0; at + fields.length <= values.length; at += fields.length) {
    const [sha = "", author = "", seconds = "", message = ""] = values.slice(at, at + fields.length);
    commits.push({
      sha,
      message: message.trimEnd(),
      author,
      committedAt: toTimestamp(seconds),
    });
  }
  return { commits };
}

/** A commit's author chooses its time, and git accepts almost any number. */
const toTimestamp = (seconds: string) =>
  new Date(Math.min(Math.max(Number(seconds), 0), lastSecond) * 1_000).toISOString();
