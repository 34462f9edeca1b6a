// A review comment on the wire.
import * as z from "zod";
import { filePathCharacters, lineSnapshotCharacters, reviewCommentCharacters } from "../rules/limits.ts";
import { commentSides, type ReviewComment } from "../rules/session/review-comment.ts";
import { authorOnWire, authorSchema } from "./author.ts";
import { time, timestamp, uuid } from "./wire-values.ts";

export const commentBody = z
  .string()
  .min(1)
  .max(reviewCommentCharacters)
  .refine((body) => body.trim() !== "", "says nothing");

/** What a comment is made from. */
export const commentTextSchema = z
  .strictObject({
    filePath: z
      .string()
      .min(1)
      .max(filePathCharacters)
      .refine((path) => !path.includes("\0"), "holds a NUL")
      .refine((path) => !path.startsWith("/") && !path.split("/").includes(".."), "is not a path within the project")
      .refine((path) => !path.toLowerCase().split("/").includes(".git"), "is git's own"),
    side: z.enum(commentSides),
    startLineNumber: z.int().min(1),
    endLineNumber: z.int().min(1),
    body: commentBody,
    lineSnapshot: z
      .string()
      .max(lineSnapshotCharacters)
      .default("")
      .describe(
        "The lines as they are. Left out, they are read in the sandbox, as soon as somebody looks while it runs.",
      ),
  })
  .refine(({ startLineNumber, endLineNumber }) => endLineNumber >= startLineNumber, {
    path: ["endLineNumber"],
    message: "comes before startLineNumber",
  });

export const reviewCommentSchema = z.object({
  id: uuid,
  ...commentTextSchema.shape,
  lineSnapshot: z.string(),
  resolved: z.boolean(),
  outdated: z
    .boolean()
    .describe("True when the lines are no longer those of the snapshot; while the sandbox does not run, as last seen."),
  author: authorSchema,
  createdAt: timestamp,
  updatedAt: timestamp,
});

export function reviewCommentOnWire(comment: ReviewComment): z.infer<typeof reviewCommentSchema> {
  const { author, createdAt, updatedAt } = comment;
  return { ...comment, author: authorOnWire(author), createdAt: time(createdAt), updatedAt: time(updatedAt) };
}
