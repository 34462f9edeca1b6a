// A diff comment: review feedback on lines of a session's changes, as part of a send (Part 1, "Diff comment").
import * as z from "zod";
import { exampleIds } from "../../resources/example-values.ts";
import { uuid } from "../../resources/wire-values.ts";
import { filePathCharacters } from "../../rules/limits.ts";
import { commentSides } from "../../rules/session/review-comment.ts";

const lineNumber = z.int().min(0);

/** A field of a review comment that a send may repeat. */
const asRead = z.unknown().optional().describe("As a review comment is read. It is not looked at.");

export const diffCommentSchema = z
  .strictObject({
    id: uuid.describe("The id of the review comment. The service reads it again, and leaves out one that is resolved."),
    filePath: z.string().min(1).max(filePathCharacters).describe("The file, relative to the project's root."),
    side: z.enum(commentSides).describe("Whether the lines are those before or after the change."),
    startLineNumber: lineNumber.describe("The first line, counted from 1."),
    endLineNumber: lineNumber.describe("The last line, counted from 1."),
    body: z.string().describe("What the comment says."),
    lineSnapshot: z.string().describe("The lines as they were when the comment was made."),
    resolved: asRead,
    outdated: asRead,
    author: asRead,
    createdAt: asRead,
    updatedAt: asRead,
  })
  .meta({
    id: "DiffComment",
    description: "Review feedback on lines of a session's changes. A review comment may be sent as it was read.",
    examples: [
      {
        id: exampleIds.comment,
        filePath: "board.js",
        side: "new",
        startLineNumber: 14,
        endLineNumber: 16,
        body: "Sort once, not at every render.",
        lineSnapshot: "const rows = sort(departures);",
      },
    ],
  });
