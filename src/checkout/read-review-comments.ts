// Reads the review comments of a session and marks the outdated ones, if the sandbox is running.
import { getSandboxObject, getSessionObject } from "../../durable-objects/address.ts";
import type { Env } from "../env.ts";
import { isRefusal, type Refusal } from "../rules/refusal.ts";
import type { LineAnchor } from "../sandbox-protocol/protocol.ts";
import { getComparisonBase } from "../session/rules/pull-request/pull-request.ts";
import type { Session } from "../session/rules/session.ts";
import { asSeen, type ReviewComment } from "./rules/review-comment.ts";

type Of = Pick<Session, "id" | "sandboxKey" | "prState" | "prBase" | "targetBranch">;

/** Returns the comments, oldest first. */
export async function readReviewComments(env: Env, session: Of): Promise<ReviewComment[] | Refusal> {
  const object = getSessionObject(env, session.id);
  const comments = await object.reviewComments({ type: "list" });
  if (isRefusal(comments) || comments.length === 0) return comments;
  const texts = await readLines(env, session, comments);
  // A comment whose lines cannot be read does not change.
  const changed = comments.flatMap((comment, index) => {
    const text = texts[index] ?? null;
    const seen = asSeen(comment, text);
    const isAsBefore = seen.outdated === comment.outdated && seen.lineSnapshot === comment.lineSnapshot;
    return text === null || isAsBefore ? [] : [[comment.id, text]];
  });
  if (changed.length === 0) return comments;
  return await object.reviewComments({ type: "note-lines", texts: Object.fromEntries(changed) });
}

/**
 * Reads the current text at each anchor; null if it cannot be read. Empty if the sandbox is not
 * running.
 */
export async function readLines(env: Env, session: Of, places: readonly LineAnchor[]): Promise<(string | null)[]> {
  const anchors = places.map(({ filePath, side, startLineNumber, endLineNumber }) => {
    return { filePath, side, startLineNumber, endLineNumber };
  });
  const checkoutQuery = { type: "lines", base: getComparisonBase(session), anchors } as const;
  const read = await getSandboxObject(env, session.sandboxKey).readCheckout(checkoutQuery);
  return isRefusal(read) ? [] : (read.lines?.texts ?? []);
}
