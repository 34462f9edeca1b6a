// Reading the review comments of a session, and seeing on the way which of them are outdated, as far as the sandbox can tell without waking.
import { sandboxObject, sessionObject } from "../../durable-objects/address.ts";
import type { Env } from "../env.ts";
import { comparisonBase } from "../rules/pull-request.ts";
import { isRefusal, type Refusal } from "../rules/refusal.ts";
import { isOutdated, type ReviewComment } from "../rules/review-comment.ts";
import type { Session } from "../rules/session.ts";

type Of = Pick<Session, "id" | "sandboxKey" | "prState" | "prBase" | "targetBranch">;

/** The comments, oldest first. */
export async function readReviewComments(env: Env, session: Of): Promise<ReviewComment[] | Refusal> {
  const object = sessionObject(env, session.id);
  const comments = await object.reviewComments({ do: "list" });
  if (isRefusal(comments)) return comments;
  const anchored = comments.filter(({ lineSnapshot }) => lineSnapshot !== "");
  if (anchored.length === 0) return comments;
  const anchors = anchored.map(({ filePath, side, startLineNumber, endLineNumber }) => {
    return { filePath, side, startLineNumber, endLineNumber };
  });
  const question = { about: "lines", base: comparisonBase(session), anchors } as const;
  const read = await sandboxObject(env, session.sandboxKey).readCheckout(question);
  // What cannot be looked at is as it was last seen.
  const texts = isRefusal(read) ? undefined : read.lines?.texts;
  if (!texts) return comments;
  const changed = anchored
    .map((comment, index) => ({ comment, outdated: isOutdated(comment, texts[index] ?? null) }))
    .filter(({ comment, outdated }) => comment.outdated !== outdated);
  if (changed.length === 0) return comments;
  const outdated = Object.fromEntries(changed.map(({ comment, outdated }) => [comment.id, outdated]));
  return await object.reviewComments({ do: "note-outdated", outdated });
}
