// Files of a sandbox on the wire: the file tree, and the content of one file.
import * as z from "zod";
import { exampleTimes } from "../../resources/example-values.ts";
import { timestamp, uuid } from "../../resources/wire-values.ts";
import { fileContentCharacters, filePathCharacters } from "../../rules/limits.ts";

export const fileTreeEntrySchema = z
  .object({
    name: z.string().describe("The name within its directory."),
    type: z.enum(["file", "directory"]).describe("Whether it is a file or a directory."),
    path: z.string().describe("The path, relative to the project's root."),
    size: z.int().optional().describe("Of a file: its size in bytes."),
    lastModified: timestamp.optional().describe("Of a file: when it was last written."),
    get children() {
      return z.array(fileTreeEntrySchema).optional().describe("Of a directory: what is in it.");
    },
  })
  .meta({
    id: "FileTreeEntry",
    description: "A file, or a directory with what is in it.",
    examples: [{ name: "board.js", type: "file", path: "board.js", size: 1_204, lastModified: exampleTimes.later }],
  });

export const filePath = z
  .string()
  .min(1)
  .max(filePathCharacters)
  .describe("The path of the file, relative to the project's root.");

/** The new content of a file. */
export const fileWriteSchema = z
  .strictObject({
    path: filePath,
    content: z
      .string()
      .max(fileContentCharacters)
      .refine((content) => content.isWellFormed(), "must not hold half of a surrogate pair")
      .describe("The new content as a whole; text alone."),
    clientId: uuid.describe("Names the client that writes."),
  })
  .meta({
    examples: [
      { path: "board.js", content: "export const rows = [];\n", clientId: "6f1d3c52-8a4b-4e07-9b6d-2f5a1c3e7d90" },
    ],
  });

export const writtenFileSchema = z
  .object({ path: z.string().describe("The path that was written."), updatedAt: timestamp.describe("When.") })
  .meta({
    id: "WrittenFile",
    description: "A file that was written.",
    examples: [{ path: "board.js", updatedAt: exampleTimes.later }],
  });
