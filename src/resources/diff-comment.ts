// A diff comment: review feedback on lines of a session's changes, as a send carries it (Part 1, "Diff comment").
import * as z from "zod";
import { filePathCharacters } from "../rules/limits.ts";
import { commentSides } from "../rules/session/review-comment.ts";
import { uuid } from "./wire-values.ts";

const lineNumber = z.int().min(0);

export const diffCommentSchema = z.object({
  id: uuid,
  filePath: z.string().min(1).max(filePathCharacters),
  side: z.enum(commentSides),
  startLineNumber: lineNumber,
  endLineNumber: lineNumber,
  body: z.string(),
  lineSnapshot: z.string(),
});
