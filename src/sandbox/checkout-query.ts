// Queries of the checkout in a sandbox: the file tree, and the differences from the base.
import type { SkillListing } from "../rules/skill/skill.ts";

/** What the project's folder holds. A link is a file, as git has it, and is not followed. */
export interface FileTree {
  files: FileTreeEntry[];
}

export type FileTreeEntry =
  | { name: string; type: "file"; path: string; size: number; lastModified: string }
  | { name: string; type: "directory"; path: string; children: FileTreeEntry[] };

export const changeStatuses = ["added", "modified", "deleted", "renamed"] as const;

/** A file that differs from where the branch left its base. */
export interface ChangedFile {
  path: string;
  /** Where a renamed file was; null for any other. */
  previousPath: string | null;
  status: (typeof changeStatuses)[number];
  /** Lines; 0 for a binary file. */
  additions: number;
  deletions: number;
  isBinary: boolean;
  /** False while some of the difference is not committed. */
  committed: boolean;
}

export interface GitChanges {
  files: ChangedFile[];
}

export interface GitPatch {
  patch: string;
  /** True when something was too long: files that are only named, or the rest. */
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

export interface GitReading {
  hasUncommittedChanges: boolean;
  hasUnpushedCommits: boolean;
  hasCommitsAheadOfBase: boolean;
}

/** Where a review comment stands: lines of a file as it is, or as the base has it. */
export interface LineAnchor {
  filePath: string;
  side: "old" | "new";
  startLineNumber: number;
  endLineNumber: number;
}

/** What review comments stand at, and the base branch that the old side is of. */
export interface LineAnchors {
  base: string;
  anchors: LineAnchor[];
}

export interface LineReading {
  /** The text at each anchor: empty for missing lines, a line end for an empty line, null if unknown. */
  texts: (string | null)[];
}

/** One of these at a time; none when the sandbox does not run. */
export interface CheckoutAnswer {
  files?: FileTree;
  skills?: CheckoutSkills;
  state?: GitReading;
  changes?: GitChanges;
  patch?: GitPatch;
  log?: GitLog;
  lines?: LineReading;
}

/** A query of the checkout, and the base branch that it is compared with. */
export type CheckoutQuery =
  | { type: "files" | "skills" | "uncommitted" }
  | { type: "state" | "changes" | "log"; base: string }
  | { type: "patch"; base: string; path: string | null }
  | { type: "lines"; base: string; anchors: LineAnchor[] };
