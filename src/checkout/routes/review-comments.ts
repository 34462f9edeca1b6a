// The routes of the review comments on a session's changes: list, create, update and delete.
import * as z from "zod";
import { getSessionObject } from "../../../durable-objects/address.ts";
import { endpoint } from "../../http/endpoint.ts";
import { created, noContent, ok, type RouteResult } from "../../http/response.ts";
import { isRefusal } from "../../rules/refusal.ts";
import { addReviewComment } from "../add-review-comment.ts";
import { readReviewComments } from "../read-review-comments.ts";
import { commentBody, commentTextSchema, reviewCommentSchema, toWireReviewComment } from "../wire/review-comment.ts";

const path = "/api/projects/{projectId}/chat-sessions/{sessionId}/review-comments";
const tag = "Review comments";
const answer = z.object({ comment: reviewCommentSchema });

const list = endpoint({
  method: "GET",
  path,
  operation: "listReviewComments",
  summary: "Read the review comments, oldest first. Never wakes a sandbox.",
  tag,
  access: "review-comment.read",
  noun: "session",
  response: {
    status: 200,
    data: z.object({ comments: z.array(reviewCommentSchema).describe("The comments, oldest first.") }),
  },
  async handle({ env, found }) {
    const comments = await readReviewComments(env, found.session);
    return isRefusal(comments) ? comments : ok({ comments: comments.map(toWireReviewComment) });
  },
});

const add = endpoint({
  method: "POST",
  path,
  operation: "addReviewComment",
  summary: "Comment on lines of the changes.",
  tag,
  access: "review-comment.change",
  noun: "session",
  body: { schema: commentTextSchema },
  isRepeatable: true,
  response: { status: 201, data: answer },
  refusals: ["BAD_REQUEST"],
  async handle(call) {
    const comments = await addReviewComment(call.env, call.found.session, {
      text: call.body,
      by: call.caller.actor,
      repeat: call.idempotency,
    });
    return isRefusal(comments) ? comments : about(comments, created);
  },
});

const changeBody = z
  .strictObject({
    body: commentBody.optional(),
    resolved: z.boolean().optional().describe("Whether the comment no longer needs attention."),
  })
  .meta({ examples: [{ resolved: true }] });

const change = endpoint({
  method: "PATCH",
  path: `${path}/{commentId}`,
  operation: "changeReviewComment",
  summary: "Change the text of your comment, or resolve one.",
  tag,
  access: "review-comment.change",
  noun: "session",
  body: { schema: changeBody },
  response: { status: 200, data: answer },
  async handle(call) {
    const commentId = call.params.commentId;
    const command = { type: "change" as const, commentId, change: call.body, by: call.caller.actor };
    const comments = await getSessionObject(call.env, call.found.session.id).reviewComments(command);
    return isRefusal(comments) ? comments : about(comments, ok);
  },
});

const remove = endpoint({
  method: "DELETE",
  path: `${path}/{commentId}`,
  operation: "deleteReviewComment",
  summary: "Remove a comment. Its author, or an admin or owner of the workspace.",
  tag,
  access: "review-comment.delete",
  noun: "session",
  response: { status: 204 },
  async handle(call) {
    const command = { type: "delete" as const, commentId: call.params.commentId, by: call.caller.actor };
    const left = await getSessionObject(call.env, call.found.session.id).reviewComments(command);
    return isRefusal(left) ? left : noContent;
  },
});

/** The response about one comment. */
function about(
  comments: Parameters<typeof toWireReviewComment>[0][],
  answered: (data: unknown) => RouteResult,
): RouteResult {
  const [comment] = comments.map(toWireReviewComment);
  return answered({ comment });
}

export const reviewCommentRoutes = [list, add, change, remove];
