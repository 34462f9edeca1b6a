// The work of a checkout as one commit, which leaves and enters as a git bundle: what is committed,
// what is staged, and all files that are not ignored. Two clones with the same work have the same
// commit, so its id says whether either has changed.
import { createReadStream, createWriteStream } from "node:fs";
import { copyFile, lstat, rm, stat } from "node:fs/promises";
import type { IncomingMessage, ServerResponse } from "node:http";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { workBundleBytes } from "../../src/rules/limits.ts";
import { type WorkState, workRef } from "../../src/sandbox-protocol/protocol.ts";
import type { Folders } from "../folders.ts";
import { createRefusal } from "../http/refusal.ts";
import { requireCheckout } from "../project/checkout-record.ts";
import { git, tryGit } from "./git-command.ts";
import { findHeadCommit, requireNothingHalfDone, requireOwnBranch } from "./head.ts";
import { createIndexCopy } from "./temporary-index.ts";

const timeoutMs = 120_000;
const listLimitBytes = 64 * 1_024 * 1_024;
const incomingRef = "refs/switchyard/incoming";
/** The work that an incoming one has replaced, in case somebody misses it. */
const replacedRef = "refs/switchyard/replaced-work";
/** Parsed and printed alike by each git, so that the commits of all clones are the same. */
const author = { name: "Switchyard", email: "work@switchyard.invalid" };

/**
 * Streams the work as a bundle, without the commits that the caller has. The header `etag` has its
 * id. With `known`, the id that the caller has, responds with 304 if nothing has changed.
 */
export async function sendWork(
  folders: Folders,
  { have, known }: { have: readonly string[]; known: string | null },
  response: ServerResponse,
): Promise<void> {
  const { work } = await commitWork(folders);
  if (work === known) return void response.writeHead(304, { etag: work }).end();
  const file = join(folders.tmp, `work-${crypto.randomUUID()}.bundle`);
  try {
    await git(folders, ["update-ref", workRef, work]);
    const without = (await listCommits(folders, have)).map((commit) => `^${commit}`);
    await git(folders, ["bundle", "create", "--quiet", file, workRef, ...without], { timeoutMs });
    const { size } = await stat(file);
    if (size > workBundleBytes) throw tooLarge;
    response.writeHead(200, { "content-type": "application/octet-stream", "content-length": size, etag: work });
    await pipeline(createReadStream(file), response);
  } finally {
    await rm(file, { force: true });
  }
}

/**
 * Replaces the work by the one in a bundle. `expected` is the id of the work that the sender has
 * seen. Refuses, and changes nothing, if the work is another, or if the bundle leaves out the
 * commits of the branch.
 */
export async function receiveWork(folders: Folders, expected: string, request: IncomingMessage): Promise<WorkState> {
  const { branch } = requireCheckout(folders);
  await requireOwnBranch(folders, branch);
  const before = await commitWork(folders);
  if (before.work !== expected)
    throw createRefusal("WORK_CHANGED", "The session's work has changed since you read it. Read it again first.");
  const file = join(folders.tmp, `work-${crypto.randomUUID()}.bundle`);
  try {
    await pipeline(request, limitBytes, createWriteStream(file, { flags: "wx", mode: 0o600 }));
    const incoming = await fetchWork(folders, file, before.head);
    await git(folders, ["update-ref", replacedRef, before.work]);
    await replaceWork(folders, branch, before, incoming);
    return await commitWork(folders);
  } finally {
    await rm(file, { force: true });
    await tryGit(folders, ["update-ref", "-d", incomingRef]);
  }
}

/** Makes the commit of the work: its parents are HEAD and a commit of the index. */
async function commitWork(folders: Folders): Promise<WorkState> {
  requireCheckout(folders);
  await requireNothingHalfDone(folders);
  const head = await findHeadCommit(folders);
  if (head === null) throw createRefusal("GIT_REFUSED", "The branch has no commit yet. Commit first.");
  // With a time of their own, the commits of an unchanged checkout would differ.
  const seconds = (await git(folders, ["show", "--no-patch", "--no-show-signature", "--format=%ct", head])).trim();
  const date = `@${seconds} +0000`;
  const env = {
    ...{ GIT_AUTHOR_NAME: author.name, GIT_AUTHOR_EMAIL: author.email, GIT_AUTHOR_DATE: date },
    ...{ GIT_COMMITTER_NAME: author.name, GIT_COMMITTER_EMAIL: author.email, GIT_COMMITTER_DATE: date },
  };
  const commit = async (tree: string, message: string, parents: string[]) => {
    const args = ["-c", "i18n.commitEncoding=UTF-8", "commit-tree", tree, ...parents.flatMap((id) => ["-p", id])];
    return (await git(folders, args, { env, input: message })).trim();
  };
  const staged = await commit((await git(folders, ["write-tree"])).trim(), "index\n", [head]);
  const index = join(folders.tmp, `index-${crypto.randomUUID()}`);
  try {
    await createIndexCopy(join(folders.project, ".git/index"), index);
    const seen = { env: { GIT_INDEX_FILE: index }, timeoutMs };
    await git(folders, ["add", "--all"], seen);
    const tree = (await git(folders, ["write-tree"], seen)).trim();
    return { head, work: await commit(tree, "work\n", [head, staged]) };
  } finally {
    await rm(index, { force: true });
  }
}

/** Those of the named commits that the checkout has. */
async function listCommits(folders: Folders, named: readonly string[]): Promise<string[]> {
  const found = await Promise.all(
    named.map((id) => tryGit(folders, ["rev-parse", "--verify", "--quiet", `${id}^{commit}`])),
  );
  return found.flatMap(({ exitCode, stdout }) => (exitCode === 0 ? [stdout.trim()] : []));
}

interface IncomingWork {
  head: string;
  index: string;
  work: string;
}

/** Fetches the commits of a bundle, and checks that they are the work of a clone. */
async function fetchWork(folders: Folders, file: string, head: string): Promise<IncomingWork> {
  const args = ["fetch", "--quiet", "--no-tags", "--no-write-fetch-head", file, `+${workRef}:${incomingRef}`];
  const fsck = ["-c", "transfer.fsckObjects=true"];
  // The bundle is a file; the usual environment allows remotes only.
  const fetched = await tryGit(folders, [...fsck, ...args], { env: { GIT_ALLOW_PROTOCOL: "file" }, timeoutMs });
  if (fetched.exitCode !== 0)
    throw createRefusal(
      "GIT_REFUSED",
      `The bundle cannot be read. It must have ${workRef}, and only commits that this session lacks.`,
    );
  const parentsOf = async (id: string) =>
    (await git(folders, ["rev-list", "--parents", "--max-count=1", id])).trim().split(" ");
  const [work = "", newHead = "", index = "", ...more] = await parentsOf(incomingRef);
  const ofIndex = index === "" ? [] : await parentsOf(index);
  if (more.length > 0 || ofIndex.length !== 2 || ofIndex[1] !== newHead)
    throw createRefusal("GIT_REFUSED", `${workRef} must be a commit of HEAD and of a commit of the index.`);
  if ((await tryGit(folders, ["merge-base", "--is-ancestor", head, newHead])).exitCode !== 0)
    throw createRefusal("GIT_REFUSED", "The bundle's branch leaves out commits of the session. Build on them.");
  return { head: newHead, index, work };
}

/**
 * Changes files, branch and index from one work to another. Ignored files stay; where one is in the
 * way, nothing is changed.
 */
async function replaceWork(folders: Folders, branch: string, before: WorkState, incoming: IncomingWork): Promise<void> {
  const index = join(folders.project, ".git/index");
  const saved = join(folders.tmp, `index-${crypto.randomUUID()}`);
  try {
    await createIndexCopy(index, saved);
    // With every file in the index, git deletes those that the incoming work no longer has.
    await git(folders, ["read-tree", before.work], { timeoutMs });
    await tryGit(folders, ["update-index", "-q", "--refresh"], { timeoutMs });
    const inTheWay = await findIgnoredInTheWay(folders, before.work, incoming.work);
    const moved =
      inTheWay === null
        ? await tryGit(folders, ["read-tree", "-m", "-u", before.work, incoming.work], { timeoutMs })
        : { exitCode: 1, stderr: `error: the session ignores ${inTheWay}, and the bundle has it` };
    if (moved.exitCode !== 0) {
      await copyFile(saved, index);
      const [, reason = "git cannot replace the files"] = /^error: (.*)$/m.exec(moved.stderr) ?? [];
      throw createRefusal("GIT_REFUSED", `The work was not changed: ${reason.replace(/\.$/, "")}.`);
    }
    await git(folders, ["update-ref", `refs/heads/${branch}`, incoming.head, before.head]);
    await git(folders, ["read-tree", incoming.index], { timeoutMs });
    await tryGit(folders, ["update-index", "-q", "--refresh"], { timeoutMs });
  } finally {
    await rm(saved, { force: true });
  }
}

/**
 * The first ignored file that the incoming work would overwrite, which git itself allows; null if
 * there is none. The index has every file that is not ignored.
 */
async function findIgnoredInTheWay(folders: Folders, before: string, incoming: string): Promise<string | null> {
  const listing = { outputLimitBytes: listLimitBytes, encoding: "latin1", timeoutMs } as const;
  const args = ["diff-tree", "-r", "-z", "--name-only", "--no-renames", "--diff-filter=A", before, incoming];
  for (const name of (await git(folders, args, listing)).split("\0").filter((listed) => listed !== "")) {
    const bytes = Buffer.from(name, "latin1");
    const found = await lstat(Buffer.concat([Buffer.from(`${folders.project}/`), bytes])).catch(() => null);
    if (found === null) continue;
    const path = bytes.toString();
    const others = ["ls-files", "-z", "--others", "--", path];
    const isFree = found.isDirectory() && (await git(folders, others, { env: { GIT_LITERAL_PATHSPECS: "1" } })) === "";
    if (!isFree) return path;
  }
  return null;
}

const tooLarge = createRefusal(
  "GIT_REFUSED",
  `The work is larger than ${workBundleBytes / 1_000_000} MB. Commit and push it, and fetch the branch.`,
);

async function* limitBytes(body: AsyncIterable<Buffer>): AsyncGenerator<Buffer, void> {
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.length;
    if (bytes > workBundleBytes) throw tooLarge;
    yield chunk;
  }
}
