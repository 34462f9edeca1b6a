// A diff comment: review feedback on lines of a session's changes, as a send carries it (Part 1, "Diff comment").
import * as z from "zod";
import { filePathCharacters } from "../rules/limits.ts";
import { commentSides } from "../rules/session/review-comment.ts";
import { uuid } from "./wire-values.ts";

const lineNumber = z.int().min(0);

/** A review comment may be sent as it was read. */
const asRead = z.unknown().optional();

export const diffCommentSchema = z.strictObject({
  id: uuid,
  filePath: z.string().min(1).max(filePathCharacters),
  side: z.enum(commentSides),
  startLineNumber: lineNumber,
  endLineNumber: lineNumber,
  body: z.string(),
  lineSnapshot: z.string(),
  resolved: asRead,
  outdated: asRead,
  author: asRead,
  createdAt: asRead,
  updatedAt: asRead,
});
