// Branch names: the name of a session's branch, and the names that git allows.
import { toSlug } from "../../rules/text.ts";

const slugLength = 40;

/**
 * `svc/<slug of title>-<6 of id>` (decisions, "Chat sessions"). The last six characters of a UUIDv7
 * are from its random part.
 */
export function createBranchName(title: string, sessionId: string): string {
  return `svc/${toSlug(title, { most: slugLength, fallback: "session" })}-${sessionId.slice(-6)}`;
}

/** Characters and sequences that git reserves anywhere in a name. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: git refuses them, so they are named.
const reserved = /[\u0000-\u0020\u007f~^:?*[\\]|\.\.|@\{|\/\//;

/** True for a valid branch name that git cannot mistake for an option, a range or another ref. */
export function isBranchName(name: string): boolean {
  if (name === "" || name === "@" || reserved.test(name) || !name.isWellFormed()) return false;
  if (/^[-/]/.test(name) || /[./]$/.test(name)) return false;
  return name.split("/").every((part) => !part.startsWith(".") && !part.endsWith(".lock"));
}

/** The earlier heads of a session's branch. */
export interface BranchHeads {
  /** The heads that its own pushes set, newest first. */
  own: readonly string[];
  /** The last head by somebody else that a push of the session replaced; null if there was none. */
  others: string | null;
  /**
   * The heads that its pushes were to set without a report of it, newest first. Such a push proves
   * nothing, as it may have failed because others had set the same head: commits are not dropped
   * for it.
   */
  attempts: readonly string[];
}

/** The move of a branch from one commit to another. `oldId` is all zeros for a new branch. */
export interface BranchMove {
  oldId: string;
  newId: string;
}

/**
 * Pushes to a session's branch: a session may rewrite the commits that it pushed itself, but never
 * drops those of others.
 */
export const noHeads: BranchHeads = { own: [], others: null, attempts: [] };
const ownHeadsMax = 50;
const attemptsMax = 10;

/** True for the all-zeros id that git uses for "no commit". */
export function isNoCommit(id: string): boolean {
  return /^0+$/.test(id);
}

/**
 * Returns commits of which the new head must contain at least one, so that no commit of others is
 * dropped. Null if there are none.
 */
export function findCommitsToKeep(
  { own, others }: Omit<BranchHeads, "attempts">,
  { oldId }: BranchMove,
): string[] | null {
  if (isNoCommit(oldId)) return null;
  if (!own.includes(oldId)) return [oldId];
  return others === null ? null : [oldId, others];
}

/** Returns the heads after a move of the branch by the session. */
export function getHeadsAfter(heads: BranchHeads, { oldId, newId }: BranchMove): BranchHeads {
  const { own, others } = heads;
  if (oldId === newId) return heads;
  const kept = isNoCommit(oldId) ? null : own.includes(oldId) ? others : oldId;
  const attempts = heads.attempts.filter((attempt) => attempt !== newId);
  return { own: [...new Set([newId, ...own])].slice(0, ownHeadsMax), others: kept, attempts };
}

/** Returns the heads with a push that is about to be forwarded, and whose report may be lost. */
export function recordAttempt(heads: BranchHeads, { oldId, newId }: BranchMove): BranchHeads {
  if (oldId === newId) return heads;
  return { ...heads, attempts: [...new Set([newId, ...heads.attempts])].slice(0, attemptsMax) };
}

/** True for a head that the session pushed, even if the report of it was lost. */
export function isOwnHead({ own, attempts }: BranchHeads, head: string): boolean {
  return own.includes(head) || attempts.includes(head);
}
