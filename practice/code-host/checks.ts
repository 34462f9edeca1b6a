// The checks of the code host's commits: the newest status of each context and the newest check run
// of each name. They are in memory, and in one file per repository.
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** A status of a commit. */
export interface CommitStatus {
  sha: string;
  state: "error" | "failure" | "pending" | "success";
  context: string;
  /** As ISO dates. Missing for those that were stored before there were times. */
  startedAt?: string;
  changedAt?: string;
}

/** A check run that an app reported. */
export interface CheckRun {
  sha: string;
  name: string;
  status: "queued" | "in_progress" | "completed";
  /** Null until it is completed. */
  conclusion: string | null;
  /** What the app reported. */
  output?: CheckOutput;
  /** Missing for those that were stored before there were ids. */
  id?: number;
  /** As ISO dates, like those of a status. */
  startedAt?: string;
  changedAt?: string;
}

export interface CheckOutput {
  title: string | null;
  summary: string | null;
  annotations: { path: string; start_line: number; message: string }[];
}

export interface Checks {
  /** Follows a renamed repository; null for a deleted one. */
  moved(repository: string, to: string | null): void;
  listStatuses(repository: string, sha: string): CommitStatus[];
  listRuns(repository: string, sha: string): CheckRun[];
  /** Null for an unknown id. */
  findRun(repository: string, id: number): CheckRun | null;
  setStatus(repository: string, status: CommitStatus): void;
  setRun(repository: string, run: CheckRun): void;
}

interface StoredChecks {
  statuses: CommitStatus[];
  runs: CheckRun[];
}

/** The times of a check that changes now. One that runs keeps its start. */
function times(isSameRun: boolean, before: { startedAt?: string } | undefined) {
  const changedAt = new Date().toISOString();
  return { startedAt: (isSameRun && before?.startedAt) || changedAt, changedAt };
}

/** Opens the checks below a folder. */
export function createChecks(folder: string): Checks {
  const known = new Map<string, StoredChecks>();
  const getFile = (repository: string) => join(folder, `${repository}.json`);

  function load(repository: string): StoredChecks {
    const file = getFile(repository);
    const loaded = known.get(repository) ?? (existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : null);
    return loaded ?? { statuses: [], runs: [] };
  }

  function save(repository: string, kept: StoredChecks): void {
    const file = getFile(repository);
    known.set(repository, kept);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(`${file}.new`, JSON.stringify(kept, null, 2));
    renameSync(`${file}.new`, file);
  }

  function moved(repository: string, to: string | null): void {
    if (to !== null) save(to, load(repository));
    known.delete(repository);
    rmSync(getFile(repository), { force: true });
  }

  return {
    moved,
    listStatuses: (repository, sha) => load(repository).statuses.filter((one) => one.sha === sha),
    listRuns: (repository, sha) => load(repository).runs.filter((one) => one.sha === sha),
    findRun: (repository, id) => load(repository).runs.find((one) => one.id === id) ?? null,
    setStatus(repository, status) {
      const { statuses, runs } = load(repository);
      const others = statuses.filter(({ sha, context }) => sha !== status.sha || context !== status.context);
      const before = statuses.find(({ sha, context }) => sha === status.sha && context === status.context);
      save(repository, { statuses: [...others, { ...status, ...times(before?.state === "pending", before) }], runs });
    },
    setRun(repository, run) {
      const { statuses, runs } = load(repository);
      const others = runs.filter(({ sha, name }) => sha !== run.sha || name !== run.name);
      const before = runs.find(({ sha, name }) => sha === run.sha && name === run.name);
      const id = before?.id ?? Math.max(0, ...runs.map(({ id = 0 }) => id)) + 1;
      const stored = { ...run, id, ...times(before?.status !== "completed", before) };
      save(repository, { statuses, runs: [...others, stored] });
    },
  };
}
