// Queries of the checkout in a sandbox: the file tree, and the differences from the base.
import type { SkillListing } from "../skill/rules/skill.ts";

/**
 * The contents of the project's folder. A symbolic link is listed as a file, as in git, and is not
 * followed.
 */
export interface FileTree {
  files: FileTreeEntry[];
}

export type FileTreeEntry =
  | { name: string; type: "file"; path: string; size: number; lastModified: string }
  | { name: string; type: "directory"; path: string; children: FileTreeEntry[] };

export const changeStatuses = ["added", "modified", "deleted", "renamed"] as const;

/** A file that differs from the merge base of the branch and its base branch. */
export interface ChangedFile {
  path: string;
  /** The path before a rename; null for any other status. */
  previousPath: string | null;
  status: (typeof changeStatuses)[number];
  /** In lines; 0 for a binary file. */
  additions: number;
  deletions: number;
  isBinary: boolean;
  /** False while part of the difference is not committed. */
  committed: boolean;
}

export interface GitChanges {
  files: ChangedFile[];
}

export interface GitPatch {
  patch: string;
  /** True if the patch was too long: it names some files without their lines, or ends early. */
  isCut: boolean;
}

export interface GitLog {
  /** Newest first. */
  commits: { sha: string; message: string; author: string; committedAt: string }[];
}

/** The project's own skills. */
export interface CheckoutSkills {
  skills: SkillListing[];
}

export interface GitState {
  hasUncommittedChanges: boolean;
  hasUnpushedCommits: boolean;
  hasCommitsAheadOfBase: boolean;
}

/** The lines of a review comment: in the current file (`new`) or in the base (`old`). */
export interface LineAnchor {
  filePath: string;
  side: "old" | "new";
  startLineNumber: number;
  endLineNumber: number;
}

/** The lines of review comments, and the base branch of their `old` side. */
export interface LineAnchors {
  base: string;
  anchors: LineAnchor[];
}

export interface AnchoredLines {
  /**
   * The text at each anchor: empty for missing lines, a line end for an empty line, null if
   * unknown.
   */
  texts: (string | null)[];
}

/** The result of one query: one of these fields, or none if the sandbox does not run. */
export interface CheckoutAnswer {
  files?: FileTree;
  skills?: CheckoutSkills;
  state?: GitState;
  changes?: GitChanges;
  patch?: GitPatch;
  log?: GitLog;
  lines?: AnchoredLines;
  /** The time of this state, in milliseconds since the epoch; omitted for the current state. */
  asOf?: number;
}

/**
 * A query of the checkout, and the base branch that it is compared with. `kept`: if the sandbox
 * does not run, the state of its last save is returned.
 */
export type CheckoutQuery =
  | { type: "files" | "skills" | "uncommitted" }
  | { type: "state" | "changes" | "log"; base: string; kept?: boolean }
  | { type: "patch"; base: string; path: string | null; kept?: boolean }
  | { type: "lines"; base: string; anchors: LineAnchor[] };

export interface SetupOutput {
  /**
   * The last lines of the setup command of the checkout that runs or failed, with the secrets of
   * its environment redacted; null without one.
   */
  end: string | null;
}
