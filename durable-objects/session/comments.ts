// Calls on a session object about its review comments.

import { getAuthor, getStanding } from "../../src/access/rules/actor.ts";
import {
  asSeen,
  checkCommentDeletion,
  createComment,
  type ReviewComment,
  updateComment,
} from "../../src/checkout/rules/review-comment.ts";
import { createId } from "../../src/lib/ids.ts";
import type { Idempotency } from "../../src/rules/idempotency.ts";
import { isRefusal, type Refusal, refuse } from "../../src/rules/refusal.ts";
import { noSession, type SessionContext } from "./context.ts";
import type { CommentCommand } from "./rpc.ts";

/** Runs a command. Returns the affected comments that remain. */
export function handleComments(
  context: SessionContext,
  command: CommentCommand,
  repeat: Idempotency | null = null,
): ReviewComment[] | Refusal {
  const state = context.store.find();
  if (!state) return noSession;
  const { reviewComments } = context;
  if (command.type === "list") return reviewComments.list();
  if (command.type === "note-lines") {
    for (const comment of reviewComments.list()) {
      const text = command.texts[comment.id];
      if (text !== undefined) reviewComments.save(asSeen(comment, text));
    }
    return reviewComments.list();
  }
  const now = Date.now();
  if (command.type === "add") {
    const { status } = state.session;
    const count = reviewComments.count();
    const { id = createId(now) } = command;
    const known = reviewComments.find(id);
    if (known) return [known];
    return context.once.decide(repeat, () =>
      store(createComment(command.text, { id, author: getAuthor(command.by), status, count }, now)),
    );
  }
  const comment = reviewComments.find(command.commentId);
  if (!comment) return refuse("NOT_FOUND", "There is no such review comment in this session.");
  const standing = getStanding(comment.author, command.by);
  if (command.type === "change") return store(updateComment(comment, command.change, standing, now));
  const refusal = checkCommentDeletion(standing);
  if (refusal) return refusal;
  reviewComments.remove(comment.id);
  return [];

  function store(made: ReviewComment | Refusal): ReviewComment[] | Refusal {
    if (isRefusal(made)) return made;
    reviewComments.save(made);
    return [made];
  }
}
