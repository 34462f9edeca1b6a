// A review comment on lines of a session's changes: its edits, its snapshot, and its text for the
// agent.

import type { Author } from "../../access/rules/actor.ts";
import { checkAllowed, type Standing } from "../../access/rules/membership.ts";
import { lineSnapshotCharacters, reviewCommentsMax } from "../../rules/limits.ts";
import { type Refusal, refuse } from "../../rules/refusal.ts";
import { hasMoreCodePoints } from "../../rules/text.ts";
import type { SessionStatus } from "../../session/rules/status.ts";

/** The side of a change: the old or the new lines. */
export const commentSides = ["old", "new"] as const;
export type CommentSide = (typeof commentSides)[number];

/** The text of a comment, and the lines that it refers to. */
export interface CommentText {
  /** Relative to the root of the checkout. */
  filePath: string;
  side: CommentSide;
  /** From 1. */
  startLineNumber: number;
  endLineNumber: number;
  body: string;
  /** The lines when the comment was made or first read; empty while they are unknown. */
  lineSnapshot: string;
}

export interface ReviewComment extends CommentText {
  id: string;
  resolved: boolean;
  /** True if the lines differed from the snapshot when they were last read. */
  outdated: boolean;
  author: Author;
  createdAt: number;
  updatedAt: number;
}

/** The comments that a send passes to the agent. */
export const listUnresolved = (comments: readonly ReviewComment[]): ReviewComment[] =>
  comments.filter(({ resolved }) => !resolved);

/**
 * Creates a comment. Refuses a session that has not been started. `count` is the number of existing
 * comments.
 */
export function createComment(
  text: CommentText,
  { id, author, status, count }: { id: string; author: Author; status: SessionStatus; count: number },
  now: number,
): ReviewComment | Refusal {
  if (status === "backlog")
    return refuse("BAD_REQUEST", "The session is in the Backlog and has no changes yet. Activate it first.");
  if (count >= reviewCommentsMax)
    return refuse("BAD_REQUEST", `The session has ${reviewCommentsMax} review comments. Delete one that is settled.`);
  return { ...text, id, resolved: false, outdated: false, author, createdAt: now, updatedAt: now };
}

export interface CommentChange {
  body?: string | undefined;
  resolved?: boolean | undefined;
}

/** Changes a comment. Only its author may change the text; any member may resolve it. */
export function updateComment(
  comment: ReviewComment,
  { body = comment.body, resolved = comment.resolved }: CommentChange,
  standing: Standing,
  now: number,
): ReviewComment | Refusal {
  if (body === comment.body && resolved === comment.resolved) return comment;
  const refusal = body === comment.body ? null : checkAllowed("author", standing);
  return refusal ?? { ...comment, body, resolved, updatedAt: now };
}

/**
 * The snapshot for a comment without one: the current lines; empty if they are unknown or too long.
 */
export function toSnapshot(text: string | null): string {
  return text === null || hasMoreCodePoints(text, lineSnapshotCharacters) ? "" : text;
}

/**
 * Updates a comment with the current text of its lines. Marks it as outdated if they differ from
 * the snapshot or no longer exist. A comment without a snapshot stores the lines. Null, for unknown
 * lines, changes nothing.
 */
export function asSeen(comment: ReviewComment, text: string | null): ReviewComment {
  if (text === null) return comment;
  if (text === "") return { ...comment, outdated: true };
  const { lineSnapshot } = comment;
  if (lineSnapshot !== "") return { ...comment, outdated: asLines(lineSnapshot) !== asLines(text) };
  const taken = toSnapshot(text);
  return taken === "" ? comment : { ...comment, lineSnapshot: taken, outdated: false };
}

/** Normalizes line ends and trailing spaces, in which clients differ. */
function asLines(text: string): string {
  return text
    .replace(/\n$/, "")
    .split("\n")
    .map((line) => line.trimEnd())
    .join("\n");
}

/** Refuses the deletion of another author's comment, except by an admin or the owner. */
export function checkCommentDeletion(standing: Standing): Refusal | null {
  return checkAllowed("creator", standing);
}

/** The comments as text for the agent, in this order; empty for none. */
export function formatReviewFeedback(comments: readonly ReviewComment[]): string {
  if (comments.length === 0) return "";
  return ["Review comments on your changes:", ...comments.map(asText)].join("\n\n");
}

const sideWords: Record<CommentSide, string> = { old: "before the change", new: "after the change" };

function asText({
  filePath,
  side,
  startLineNumber,
  endLineNumber,
  body,
  lineSnapshot,
  outdated,
}: ReviewComment): string {
  const lines =
    startLineNumber === endLineNumber ? `line ${startLineNumber}` : `lines ${startLineNumber}-${endLineNumber}`;
  const quoted =
    lineSnapshot === ""
      ? []
      : lineSnapshot
          .replace(/\r?\n$/, "")
          .split(/\r?\n/)
          .map((line) => `> ${line}`.trimEnd());
  const since = outdated ? "; these lines have changed since" : "";
  return [`${filePath}, ${lines} (${sideWords[side]}${since}):`, ...quoted, body].join("\n");
}
