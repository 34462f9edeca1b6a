// A sandbox's checkout on its own branch beside a clone of somebody else, both of one remote.
import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createFolders, type Folders } from "../../../sandbox-program/folders.ts";
import { pushBranch } from "../../../sandbox-program/git/commit-and-push.ts";
import { ensureCheckout } from "../../../sandbox-program/project/checkout.ts";
import { type GitRemote, startGitRemote } from "./git-remote.ts";

/** Files to write; null removes one. */
export type Changes = Record<string, string | null>;

export interface BranchPair {
  remote: GitRemote;
  folders: Folders;
  /** Somebody else's clone. */
  elsewhere: string;
  /** Runs git in the sandbox's checkout. */
  git(...args: string[]): string;
  /** A file of the checkout; null when it is not there. */
  read(path: string): string | null;
  commitHere(changes: Changes, message?: string): Promise<void>;
  /** Somebody else commits and pushes. */
  commitThere(changes: Changes, branch?: string): Promise<void>;
  /** Pushes the sandbox's branch. */
  publish(): Promise<void>;
  end(): Promise<void>;
}

/** Starts from `main` with these files; the sandbox's branch is `svc/work`. */
export async function startBranchPair(files: Record<string, string>): Promise<BranchPair> {
  const remote = await startGitRemote(files);
  const folders = createFolders(mkdtempSync(join(tmpdir(), "sync-")));
  const elsewhere = mkdtempSync(join(tmpdir(), "elsewhere-"));
  const { url: remoteUrl, token } = remote;
  await ensureCheckout(folders, { remoteUrl, token, branch: "svc/work", baseBranch: "main", setup: [], env: {} });
  gitAt(elsewhere, "clone", "--quiet", await remote.git("rev-parse", "--absolute-git-dir"), ".");
  const read = (path: string) => readFileSync(join(folders.project, path), "utf8");
  return {
    remote,
    folders,
    elsewhere,
    git: (...args) => gitAt(folders.project, ...args),
    read: (path) => (existsSync(join(folders.project, path)) ? read(path) : null),
    commitHere: (changes, message = "here") => commit(folders.project, changes, message),
    async commitThere(changes, branch = "main") {
      gitAt(elsewhere, "checkout", "--quiet", branch);
      await commit(elsewhere, changes, "there");
      gitAt(elsewhere, "push", "--quiet", "origin", branch);
    },
    publish: () => pushBranch(folders, { token }),
    async end() {
      await remote.stop();
      for (const folder of [folders.root, elsewhere]) rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function commit(at: string, changes: Changes, message: string): Promise<void> {
  for (const [path, content] of Object.entries(changes)) {
    if (content === null) rmSync(join(at, path), { recursive: true });
    else {
      await mkdir(dirname(join(at, path)), { recursive: true });
      await writeFile(join(at, path), content);
    }
  }
  gitAt(at, "add", "--all");
  gitAt(at, "commit", "--quiet", "-m", message);
}

/** Runs git as Ada. */
export function gitAt(cwd: string, ...args: string[]): string {
  const identity = ["-c", "user.name=Ada", "-c", "user.email=ada@example.test"];
  return execFileSync("git", [...identity, ...args], { cwd, encoding: "utf8" }).trim();
}
