// A session's work in a folder here: taking it, taking what is new, and sending it back.
import { existsSync } from "node:fs";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import type { Command } from "@commander-js/extra-typings";
import { refused, type Session } from "@switchyard/client";
import { type Output, openClient } from "../command.ts";
import { findHost } from "../config.ts";
import { UsageError } from "../exit.ts";
import { findSession } from "../find.ts";
import { findFolderRepository, projectSetting } from "../git/folder.ts";
import { git, tryGit } from "../git/run.ts";
import {
  commitWork,
  createBundle,
  createFiles,
  type FolderWork,
  fetchBundle,
  findGitPath,
  listNewestCommits,
  replaceWork,
} from "../git/work.ts";
import { toShortId } from "../print/session.ts";
import { toLine } from "../print/text.ts";

/** What a folder knows of its session, in a file of its git. */
interface Link {
  url: string;
  sessionId: string;
  /** The session's work when the folder and the session were the same. */
  work: string;
}

/** Adds the commands. */
export function addCheckoutCommands(program: Command, output: () => Output): void {
  program
    .command("checkout <id> [folder]")
    .description("copy a session's work into a folder, with staged, unstaged and untracked changes")
    .action(async (id, folder) => {
      const sy = await openClient();
      const session = await findSession(sy, id);
      const { repository } = await sy.projects.find(session.projectId);
      const path = await checkOut(session, repository, folder, output());
      output().answer({ folder: path, branch: session.data.branch }, [path]);
    });

  program
    .command("pull")
    .description("pull new work of this folder's session; your changes are never overwritten")
    .option("--theirs", "if both have changed the work, take the session's and save yours under a ref")
    .action(async ({ theirs: takesTheirs }) => {
      const { folder, link, session } = await openLinked();
      await wake(session, output());
      const bundle = await session.work.get({ known: link.work, have: await listNewestCommits(folder) });
      const mine = await commitWork(folder);
      if (bundle === null) return output().answer({ pulled: false }, ["Nothing is new in the session."]);
      const theirs = await fetchBundle(folder, bundle, toRef(link.sessionId, "theirs"));
      if (mine.work !== link.work && mine.work !== theirs) {
        const refusal = await keepBoth(folder, link, mine);
        if (!takesTheirs) throw refusal;
      }
      if (mine.work !== theirs) await replaceWork(folder, mine, theirs);
      await saveLink(folder, { ...link, work: theirs });
      output().answer({ pulled: true, work: theirs }, [await git(["status", "--short", "--branch"], { cwd: folder })]);
    });

  program
    .command("push")
    .description("push the work of this folder to its session; its changes are never overwritten")
    .action(async () => {
      const { folder, link, session } = await openLinked();
      const mine = await commitWork(folder);
      if (mine.work === link.work) return output().answer({ pushed: false }, ["There is nothing to send."]);
      await wake(session, output());
      const work = await send(session, folder, link, mine);
      await saveLink(folder, { ...link, work });
      output().answer({ pushed: true, work }, [`The session has your work. → sy show ${toShortId(session.id)}`]);
    });
}

/** Sends a work. If an answer was lost, a repeat finds that the session has it already. */
async function send(session: Session, folder: string, link: Link, mine: FolderWork): Promise<string> {
  const bundle = await createBundle(folder, mine.work, `${link.work}^1`);
  try {
    return (await session.work.put(bundle, link.work)).work;
  } catch (error) {
    if (!refused(error, "PUT /api/projects/{projectId}/chat-sessions/{sessionId}/preview/work")) throw error;
    if (error.failure.code !== "CONFLICT") throw error;
    const newer = await session.work.get({ known: mine.work, have: await listNewestCommits(folder) });
    if (newer === null) return mine.work;
    await fetchBundle(folder, newer, toRef(link.sessionId, "theirs"));
    throw await keepBoth(folder, link, mine);
  }
}

/** Keeps the sides under refs, and returns the refusal, which says how to bring them together. */
async function keepBoth(folder: string, link: Link, mine: FolderWork): Promise<Error> {
  const [before, yours, theirs] = [
    toRef(link.sessionId, "before"),
    toRef(link.sessionId, "yours"),
    toRef(link.sessionId, "theirs"),
  ];
  await git(["update-ref", before, link.work], { cwd: folder });
  await git(["update-ref", yours, mine.work], { cwd: folder });
  return new Error(
    [
      "Both you and the session have changed the work. Nothing was overwritten.",
      `See what the session changed: git diff ${before} ${theirs}`,
      "Take it, and then what you changed:",
      // Without it, one line that both have changed would keep all of the patch back.
      `  sy pull --theirs && git diff --binary ${before} ${yours} | git apply --reject`,
      "What both have changed in the same lines is in files that end with .rej.",
      `A file that git reports and leaves out is whole in yours: git show ${yours}:FILE`,
    ].join("\n"),
  );
}

const toRef = (sessionId: string, whose: "before" | "yours" | "theirs") =>
  `refs/switchyard/${toShortId(sessionId)}/${whose}`;

async function wake(session: Session, output: Output): Promise<void> {
  output.note("waiting for the sandbox");
  await session.preview.awake();
}

/** Makes the folder: a worktree if the command runs in a clone, else a clone of its own. */
async function checkOut(
  session: Session,
  repository: string,
  given: string | undefined,
  output: Output,
): Promise<string> {
  const { branch, id, status } = session.data;
  if (status === "backlog") throw new UsageError("This session is in the Backlog.", `sy start ${toShortId(id)}`);
  if (branch === null) throw new UsageError("This session has no branch yet. Send it a message first.");
  const isClone = (await findFolderRepository()) === repository;
  const here = isClone ? await git(["rev-parse", "--show-toplevel"]) : process.cwd();
  const name = `${basename(repository)}-${toShortId(id)}`;
  const folder = resolve(given ?? join(isClone ? dirname(here) : here, name));
  if (existsSync(folder)) throw new UsageError(`${folder} exists already. Name another folder.`);
  await wake(session, output);
  const have = isClone ? await listNewestCommits(here) : [];
  const bundle = await session.work.get({ have });
  if (bundle === null) throw new Error("The service sent no work.");
  if (!isClone) await createClone(folder, branch, session.projectId);
  const work = await fetchBundle(isClone ? here : folder, bundle, toRef(id, "theirs"));
  if (isClone) await addWorktree(here, folder, branch, `${work}^1`);
  else await git(["update-ref", "HEAD", `${work}^1`], { cwd: folder });
  await createFiles(folder, work);
  await saveLink(folder, { url: (await findHost()).url, sessionId: id, work });
  return folder;
}

/** Creates a repository whose HEAD is on a branch that has no commit yet. */
async function createClone(folder: string, branch: string, projectId: string): Promise<void> {
  await mkdir(folder);
  await git(["init", "--quiet"], { cwd: folder });
  await git(["symbolic-ref", "HEAD", `refs/heads/${branch}`], { cwd: folder });
  await git(["config", projectSetting, projectId], { cwd: folder });
}

/** Adds a worktree on the session's branch, which must not lose commits of yours. */
async function addWorktree(clone: string, folder: string, branch: string, head: string): Promise<void> {
  const own = await tryGit(["rev-parse", "--verify", "--quiet", `refs/heads/${branch}`], { cwd: clone });
  if (own.exitCode === 0) {
    const isBehind = await tryGit(["merge-base", "--is-ancestor", branch, head], { cwd: clone });
    if (isBehind.exitCode !== 0)
      throw new UsageError(`Your branch ${branch} has commits that the session lacks. Rename it, and try again.`);
  }
  await git(["worktree", "add", "--quiet", "--no-checkout", "-B", branch, folder, head], { cwd: clone });
}

const linkFile = (folder: string) => findGitPath(folder, "switchyard.json");

async function saveLink(folder: string, link: Link): Promise<void> {
  await writeFile(await linkFile(folder), `${JSON.stringify(link, null, 2)}\n`);
}

/** The current folder, with its session. */
async function openLinked(): Promise<{ folder: string; link: Link; session: Session }> {
  const top = await tryGit(["rev-parse", "--show-toplevel"]);
  const folder = top.stdout.trim();
  const text = top.exitCode === 0 ? await readFile(await linkFile(folder), "utf8").catch(() => null) : null;
  if (text === null) throw new UsageError("This folder is of no session. `sy checkout ID` makes one.");
  const link: Link = JSON.parse(text);
  const { url } = await findHost();
  if (url !== link.url)
    throw new UsageError(`This folder is of a session of ${toLine(link.url)}. Set SWITCHYARD_URL to it.`);
  const session = await findSession(await openClient(), link.sessionId);
  const branch = (await tryGit(["symbolic-ref", "--short", "HEAD"], { cwd: folder })).stdout.trim();
  if (branch !== session.data.branch)
    throw new UsageError(`This folder is on another branch than the session's, ${toLine(session.data.branch ?? "")}.`);
  return { folder, link, session };
}
