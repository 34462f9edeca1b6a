// The pull requests of the code host's repositories. They are in memory, and in one file per
// repository.
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { PullRequest } from "./pull-request.ts";

export interface PullRequests {
  /** Follows a renamed repository; null for a deleted one. */
  moved(repository: string, to: string | null): void;
  /** Oldest first. */
  of(repository: string): readonly PullRequest[];
  find(repository: string, number: number): PullRequest | null;
  open(
    repository: string,
    draft: Omit<PullRequest, "number" | "state" | "isMerged" | "updatedAt" | "author">,
    by: string,
  ): PullRequest;
  /** Changes a pull request; null if there is none with this number. */
  change(repository: string, number: number, changes: Partial<PullRequest>, by: string): PullRequest | null;
  /** Sets or removes a label. Null if there is no such pull request. */
  setLabel(repository: string, number: number, label: string, isWanted: boolean, by: string): PullRequest | null;
}

/** `by` is the login of who did it. */
type Watcher = (repository: string, before: PullRequest | null, after: PullRequest, by: string) => void;

/**
 * Opens the pull requests below a folder. The watcher is called for each one that is opened or
 * changed.
 */
export function createPullRequests(
  folder: string,
  watcher: Watcher = () => {},
  /** The highest number of an issue: both are numbered together. */
  getLastNumber: (repository: string) => number = () => 0,
): PullRequests {
  const known = new Map<string, PullRequest[]>();
  const getFile = (repository: string) => join(folder, `${repository}.json`);

  function load(repository: string): PullRequest[] {
    const loaded =
      known.get(repository) ??
      (existsSync(getFile(repository)) ? JSON.parse(readFileSync(getFile(repository), "utf8")) : []);
    known.set(repository, loaded);
    return loaded;
  }

  function save(repository: string, pullRequests: PullRequest[]): void {
    known.set(repository, pullRequests);
    mkdirSync(dirname(getFile(repository)), { recursive: true });
    // A rename, so that a crash leaves a complete file.
    writeFileSync(`${getFile(repository)}.new`, JSON.stringify(pullRequests, null, 2));
    renameSync(`${getFile(repository)}.new`, getFile(repository));
  }

  const find = (repository: string, number: number) => load(repository).find((one) => one.number === number) ?? null;
  function moved(repository: string, to: string | null): void {
    if (to !== null) save(to, load(repository));
    known.delete(repository);
    rmSync(getFile(repository), { force: true });
  }

  function change(repository: string, number: number, changes: Partial<PullRequest>, by: string): PullRequest | null {
    const before = find(repository, number);
    if (!before) return null;
    const after = { ...before, ...changes, updatedAt: new Date().toISOString() };
    save(
      repository,
      load(repository).map((one) => (one.number === number ? after : one)),
    );
    watcher(repository, before, after, by);
    return after;
  }

  return {
    moved,
    of: load,
    find,
    open(repository, draft, by) {
      const before = load(repository);
      const number = Math.max(getLastNumber(repository), ...before.map((one) => one.number), 0) + 1;
      const started = { number, state: "open", isMerged: false } as const;
      const opened: PullRequest = { ...draft, ...started, author: by, updatedAt: new Date().toISOString() };
      save(repository, [...before, opened]);
      watcher(repository, null, opened, by);
      return opened;
    },
    change,
    setLabel(repository, number, label, isWanted, by) {
      const others = (find(repository, number)?.labels ?? []).filter((one) => one !== label);
      return change(repository, number, { labels: isWanted ? [...others, label] : others }, by);
    },
  };
}
