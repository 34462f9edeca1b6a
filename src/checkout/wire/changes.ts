// The changes of a session relative to its base on the wire: files, commits, the patch, and the
// state of the branch.
import * as z from "zod";
import { exampleTimes, timestamp, uuid, wellFormedText } from "../../lib/wire.ts";
import { fileContentCharacters, filePathCharacters } from "../../rules/limits.ts";
import { changeStatuses } from "../../sandbox-protocol/checkout-query.ts";

const exampleSha = "9f2c1a7be04d5836c1f0a2d94e7b8356d0c4a1f2";

export const changedFileSchema = z
  .object({
    path: z.string().describe("The path, relative to the project's root."),
    previousPath: z.string().nullable().describe("The path of a renamed file before."),
    status: z.enum(changeStatuses).describe("What happened to it."),
    additions: z.int().describe("The number of added lines; 0 for a binary file."),
    deletions: z.int().describe("The number of removed lines; 0 for a binary file."),
    isBinary: z.boolean().describe("True for a file that is no text."),
    committed: z.boolean().describe("True when all of the difference is committed."),
  })
  .meta({
    id: "ChangedFile",
    description: "A file that differs from the base.",
    examples: [
      {
        path: "board.js",
        previousPath: null,
        status: "modified",
        additions: 12,
        deletions: 3,
        isBinary: false,
        committed: false,
      },
    ],
  });

export const commitSchema = z
  .object({
    sha: z.string().describe("The commit's id."),
    message: z.string().describe("Its message as a whole."),
    author: z.string().describe("The name of its author."),
    committedAt: timestamp.describe("When it was made."),
  })
  .meta({
    id: "Commit",
    description: "A commit beyond the base.",
    examples: [
      { sha: exampleSha, message: "Sort departures by time", author: "Mia Member", committedAt: exampleTimes.later },
    ],
  });

export const newCommitSchema = z
  .object({ sha: z.string().describe("The commit's id.") })
  .meta({ id: "NewCommit", description: "A commit that was just made.", examples: [{ sha: exampleSha }] });

/** The additional fields of a response that was requested with `kept`. */
export const keptFields = {
  available: z.boolean().optional().describe("With `kept`: true if the sandbox runs."),
  asOf: timestamp.nullable().optional().describe("With `kept`: when it was saved."),
};

export const diffSchema = z
  .object({
    patch: z.string().describe("The patch of git."),
    isCut: z.boolean().describe("True when files are left out or cut off."),
    ...keptFields,
  })
  .meta({
    id: "Diff",
    description: "The patch of what differs from the base.",
    examples: [
      {
        patch:
          "diff --git a/board.js b/board.js\n--- a/board.js\n+++ b/board.js\n@@ -14 +14 @@\n-rows.reverse();\n+sort(rows);\n",
        isCut: false,
      },
    ],
  });

export const gitStateSchema = z
  .object({
    available: z.boolean().describe("False while the sandbox does not run, as is the rest."),
    hasUncommittedChanges: z.boolean().describe("True when something is not committed."),
    hasUnpushedCommits: z.boolean().describe("True when a commit is not pushed."),
    hasCommitsAheadOfBase: z.boolean().describe("True when the base or the Target Branch lacks commits of the branch."),
  })
  .meta({
    id: "GitState",
    description: "The state of the session's branch.",
    examples: [
      { available: true, hasUncommittedChanges: true, hasUnpushedCommits: false, hasCommitsAheadOfBase: true },
    ],
  });

/** Files of a sandbox on the wire: the file tree, and the content of one file. */
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

const exampleHash = "3f1c9a0be7d24a5f86b1c0d9e8f7a6b5c4d3e2f1a0b9c8d7e6f5a4b3c2d1e0f9";
export const fileHash = z
  .string()
  .describe("The SHA-256 of the content, in hex.")
  .meta({ examples: [exampleHash] });

/** The new content of a file. */
export const fileWriteSchema = z
  .strictObject({
    path: filePath,
    content: wellFormedText(fileContentCharacters).describe("The new text as a whole."),
    clientId: uuid.describe("Names the client that writes."),
    baseHash: z
      .string()
      .regex(/^[0-9a-f]{64}$/, "is not a SHA-256 in hex")
      .optional()
      .describe("The `hash` of the old content. 409 FILE_CHANGED if the file has another."),
  })
  .meta({
    examples: [
      { path: "board.js", content: "export const rows = [];\n", clientId: "6f1d3c52-8a4b-4e07-9b6d-2f5a1c3e7d90" },
    ],
  });

export const writtenFileSchema = z
  .object({
    path: z.string().describe("The path that was written."),
    updatedAt: timestamp.describe("When."),
    hash: fileHash,
  })
  .meta({
    id: "WrittenFile",
    description: "A file that was written.",
    examples: [{ path: "board.js", updatedAt: exampleTimes.later, hash: exampleHash }],
  });

export const workStateSchema = z
  .object({
    head: z.string().describe("The commit of the branch."),
    work: z.string().describe("The id of the work."),
  })
  .meta({
    id: "WorkState",
    description: "The work in a session's sandbox.",
    examples: [{ head: "5c1f0e3f6b9d2a4e8c7b1a0f9e8d7c6b5a4f3e2d", work: "a2b4c6d8e0f1a3b5c7d9e1f2a4b6c8d0e2f3a5b7" }],
  });
