// A review comment on the wire.
import * as z from "zod";
import { authorSchema, toWireAuthor } from "../../chat/wire/author.ts";
import { exampleAuthor, exampleIds, exampleTimes, formatTime, timestamp, uuid } from "../../lib/wire.ts";
import { isWithinProject } from "../../project/rules/check-settings.ts";
import { filePathCharacters, lineSnapshotCharacters, reviewCommentCharacters } from "../../rules/limits.ts";
import { commentSides, type ReviewComment } from "../rules/review-comment.ts";

const exampleText = {
  filePath: "board.js",
  side: "new",
  startLineNumber: 14,
  endLineNumber: 14,
  body: "Sort once, not at every render.",
};

export const commentBody = z
  .string()
  .min(1)
  .max(reviewCommentCharacters)
  .refine((body) => body.trim() !== "", "says nothing")
  .describe("What the comment says.");

/** The body of a request that creates a comment. */
export const commentTextSchema = z
  .strictObject({
    filePath: z
      .string()
      .min(1)
      .max(filePathCharacters)
      .refine((path) => !path.includes("\0"), "holds a NUL")
      .refine(isWithinProject, "is not a path within the project")
      .refine((path) => !path.toLowerCase().split("/").includes(".git"), "is git's own")
      .describe("The file, relative to the project's root."),
    side: z.enum(commentSides).describe("Before or after the change."),
    startLineNumber: z.int().min(1).describe("The first line, counted from 1."),
    endLineNumber: z.int().min(1).describe("The last line, counted from 1."),
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
  })
  .meta({ examples: [exampleText] });

export const reviewCommentSchema = z
  .object({
    id: uuid.describe("The comment's id."),
    ...commentTextSchema.shape,
    lineSnapshot: z.string().describe("The lines as they were when the comment was made."),
    resolved: z.boolean().describe("True once it no longer needs attention."),
    outdated: z
      .boolean()
      .describe(
        "True when the lines are no longer those of the snapshot. While the sandbox does not run, as last seen.",
      ),
    author: authorSchema.describe("Who made it."),
    createdAt: timestamp.describe("When it was made."),
    updatedAt: timestamp.describe("When it was last changed."),
  })
  .meta({
    id: "ReviewComment",
    description: "A comment on lines of a session's changes.",
    examples: [
      {
        id: exampleIds.comment,
        ...exampleText,
        lineSnapshot: "const rows = sort(departures);",
        resolved: false,
        outdated: false,
        author: exampleAuthor,
        createdAt: exampleTimes.later,
        updatedAt: exampleTimes.later,
      },
    ],
  });

export function toWireReviewComment(comment: ReviewComment): z.infer<typeof reviewCommentSchema> {
  const { author, createdAt, updatedAt } = comment;
  return {
    ...comment,
    author: toWireAuthor(author),
    createdAt: formatTime(createdAt),
    updatedAt: formatTime(updatedAt),
  };
}
