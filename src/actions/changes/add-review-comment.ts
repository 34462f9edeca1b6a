// Making a review comment, with the lines that it stands at, which are read where the client does not say them.
import { sessionObject } from "../../../durable-objects/address.ts";
import type { Env } from "../../env.ts";
import type { Sender } from "../../rules/access/actor.ts";
import type { Refusal } from "../../rules/refusal.ts";
import { type CommentText, type ReviewComment, snapshotOf } from "../../rules/session/review-comment.ts";
import type { Session } from "../../rules/session/session.ts";
import { readLines } from "./read-review-comments.ts";

type Of = Pick<Session, "id" | "sandboxKey" | "prState" | "prBase" | "targetBranch">;

/** Makes a comment. While the sandbox does not run, its lines are those that it is seen with first. */
export async function addReviewComment(
  env: Env,
  session: Of,
  { text, by }: { text: CommentText; by: Sender },
): Promise<ReviewComment[] | Refusal> {
  const lineSnapshot = text.lineSnapshot || snapshotOf((await readLines(env, session, [text]))[0] ?? null);
  return await sessionObject(env, session.id).reviewComments({ type: "add", text: { ...text, lineSnapshot }, by });
}
