// A review comment: what somebody said about lines of a session's changes, and how the agent is told of it.

import type { Author } from "../access/actor.ts";
import { allows, type Standing } from "../access/membership.ts";
import { lineSnapshotCharacters, reviewCommentsMax } from "../limits.ts";
import { type Refusal, refuse } from "../refusal.ts";
import type { SessionStatus } from "./status.ts";

/** Which side of a change: the lines as they were, or as they are. */
export const commentSides = ["old", "new"] as const;
export type CommentSide = (typeof commentSides)[number];

/** What is said, of which lines. */
export interface CommentText {
  /** From the root of the checkout. */
  filePath: string;
  side: CommentSide;
  /** From 1. */
  startLineNumber: number;
  endLineNumber: number;
  body: string;
  /** The lines as they were when the comment was made, or seen first; empty where nobody could tell yet. */
  lineSnapshot: string;
}

export interface ReviewComment extends CommentText {
  id: string;
  resolved: boolean;
  /** True when the lines were no longer those of the snapshot when somebody could look last. */
  outdated: boolean;
  author: Author;
  createdAt: number;
  updatedAt: number;
}

/** Makes a comment on the changes of a session. One that has not been started has none; `count` is how many comments there are. */
export function makeComment(
  text: CommentText,
  { id, author, status, count }: { id: string; author: Author; status: SessionStatus; count: number },
  now: number,
): ReviewComment | Refusal {
  if (status === "backlog") return refuse("BAD_REQUEST", "The session is in the Backlog and has no changes yet.");
  if (count >= reviewCommentsMax)
    return refuse("BAD_REQUEST", `The session has ${reviewCommentsMax} review comments. Delete one that is settled.`);
  return { ...text, id, resolved: false, outdated: false, author, createdAt: now, updatedAt: now };
}

export interface CommentChange {
  body?: string | undefined;
  resolved?: boolean | undefined;
}

/** Changes a comment: its words are its author's, and any member may say whether it is resolved. */
export function changeComment(
  comment: ReviewComment,
  { body = comment.body, resolved = comment.resolved }: CommentChange,
  standing: Standing,
  now: number,
): ReviewComment | Refusal {
  if (body === comment.body && resolved === comment.resolved) return comment;
  const refusal = body === comment.body ? null : allows("author", standing);
  return refusal ?? { ...comment, body, resolved, updatedAt: now };
}

/** The lines to keep with a comment that came without any: as they read by now, where that can be told and is not too long. */
export function snapshotOf(text: string | null): string {
  return text === null || text.length > lineSnapshotCharacters ? "" : text;
}

/**
 * A comment once its lines have been looked at: outdated where they are others than those that were commented on, or are not there. One that
 * has kept none keeps those that it is seen with first. Null, for what nobody can tell, changes nothing.
 */
export function asSeen(comment: ReviewComment, text: string | null): ReviewComment {
  if (text === null) return comment;
  if (text === "") return { ...comment, outdated: true };
  const { lineSnapshot } = comment;
  if (lineSnapshot !== "") return { ...comment, outdated: asLines(lineSnapshot) !== asLines(text) };
  const taken = snapshotOf(text);
  return taken === "" ? comment : { ...comment, lineSnapshot: taken, outdated: false };
}

/** Line ends and blanks before them differ between what shows lines, and say nothing. */
function asLines(text: string): string {
  return text
    .replace(/\n$/, "")
    .split("\n")
    .map((line) => line.trimEnd())
    .join("\n");
}

/** Refuses the removal of somebody else's comment, but for an admin or the owner. */
export function mayRemoveComment(standing: Standing): Refusal | null {
  return allows("creator", standing);
}

/** Comments as the agent reads them, in this order; empty for none. */
export function reviewFeedback(comments: readonly ReviewComment[]): string {
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
