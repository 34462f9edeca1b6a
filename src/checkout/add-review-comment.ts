// Adds a review comment with a snapshot of its lines, which are read from the sandbox unless the
// client sends them.
import { getSessionObject } from "../../durable-objects/address.ts";
import type { Sender } from "../access/rules/actor.ts";
import type { Env } from "../env.ts";
import type { Idempotency } from "../rules/idempotency.ts";
import type { Refusal } from "../rules/refusal.ts";
import type { Session } from "../session/rules/session.ts";
import { readLines } from "./read-review-comments.ts";
import { type CommentText, type ReviewComment, toSnapshot } from "./rules/review-comment.ts";

type Of = Pick<Session, "id" | "sandboxKey" | "prState" | "prBase" | "targetBranch">;

/**
 * Adds a comment. If the sandbox is not running, the snapshot is taken by the first read while it
 * runs.
 */
export async function addReviewComment(
  env: Env,
  session: Of,
  { text, by, repeat }: { text: CommentText; by: Sender; repeat: Idempotency | null },
): Promise<ReviewComment[] | Refusal> {
  const lineSnapshot = text.lineSnapshot || toSnapshot((await readLines(env, session, [text]))[0] ?? null);
  return await getSessionObject(env, session.id).reviewComments(
    { type: "add", text: { ...text, lineSnapshot }, by },
    repeat,
  );
}
