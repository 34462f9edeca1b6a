// The tools that find files and lines in the checkout. Both use git, which every sandbox has.
// Ignored files are left out.
import { realpath } from "node:fs/promises";
import { relative } from "node:path";
import { readingAnswerBytes } from "../../../../src/rules/limits.ts";
import type { Redaction } from "../../../../src/rules/redaction.ts";
import type { Folders } from "../../../folders.ts";
import { runReading } from "../../../git/reading-command.ts";
import { toFields } from "../../../http/unknown-fields.ts";
import { resolveInProject } from "../../../project/project-path.ts";
import type { AgentTool } from "../../agent.ts";
import { bytesBeyondCut, toToolAnswer } from "./answer-text.ts";

interface Place {
  folders: Folders;
  redaction: Redaction;
}

const path = { type: "string", description: "A folder or file of the checkout; left out, the whole checkout" };
const limitBytes = readingAnswerBytes + bytesBeyondCut;

/** Lists the files whose path matches a pattern. */
export function findFilesTool({ folders, redaction }: Place): AgentTool {
  return {
    name: "find_files",
    label: "Find files",
    description:
      "Find files of the project by a glob pattern, such as `*.ts` or `src/**/test-*.js`. A pattern without `/` matches in every folder.",
    parameters: {
      type: "object",
      properties: { pattern: { type: "string", description: "The glob pattern" }, path },
      required: ["pattern"],
    },
    run: async (input, signal) => {
      const { pattern, path: below } = toFields(input);
      if (typeof pattern !== "string" || pattern === "") throw new Error("Give a `pattern`.");
      const folder = await getFolder(folders, below);
      const listing = ["ls-files", "--cached", "--others", "--exclude-standard", "--deduplicate", "-z"];
      const args = [...listing, "--", toGlob(folder, pattern)];
      const found = await runReading(folders, args, { limitBytes, signal });
      if (found.exitCode !== 0) throw new Error(toToolAnswer(found.stderr, redaction).text);
      const files = found.stdout.split("\0").filter((file) => file !== "");
      return toToolAnswer(files.length === 0 ? "No file matches." : files.join("\n"), redaction);
    },
  };
}

/** Finds lines that match an expression. */
export function createSearchTool({ folders, redaction }: Place): AgentTool {
  return {
    name: "search",
    label: "Search",
    description:
      "Search the project's files for lines that match an extended regular expression. Answers `file:line:text`. Set `literal` for plain text.",
    parameters: {
      type: "object",
      properties: {
        pattern: { type: "string", description: "The expression, or the text" },
        path,
        glob: { type: "string", description: "Only files whose path matches, such as `*.ts`" },
        ignoreCase: { type: "boolean" },
        literal: { type: "boolean", description: "True for plain text" },
      },
      required: ["pattern"],
    },
    run: async (input, signal) => {
      const { pattern, path: below, glob, ignoreCase, literal } = toFields(input);
      if (typeof pattern !== "string" || pattern === "") throw new Error("Give a `pattern`.");
      const folder = await getFolder(folders, below);
      const args = [
        // Without the index, git searches the files themselves and follows no link.
        ...["grep", "--no-index", "--exclude-standard", "--no-textconv", "-n", "-I", "--no-color"],
        literal === true ? "-F" : "-E",
        ...(ignoreCase === true ? ["-i"] : []),
        ...["-e", pattern, "--"],
        typeof glob === "string" && glob !== "" ? toGlob(folder, glob) : `:(top,literal)${folder}`,
      ];
      const found = await runReading(folders, args, { limitBytes, signal });
      if (found.exitCode > 1) throw new Error(toToolAnswer(found.stderr, redaction).text);
      return toToolAnswer(found.stdout === "" ? "No line matches." : found.stdout, redaction);
    },
  };
}

/** The path of a folder or file in the checkout, without links; empty for the checkout itself. */
async function getFolder(folders: Folders, given: unknown): Promise<string> {
  if (given === undefined || given === null || given === "" || given === "." || given === "./") return "";
  if (typeof given !== "string") throw new Error("`path` is a text.");
  return relative(await realpath(folders.project), await resolveInProject(folders.project, given));
}

/** The files below a folder whose path matches. A pattern without `/` matches in every folder. */
function toGlob(folder: string, pattern: string): string {
  const exactly = folder === "" ? "" : `${folder.replace(/[\\*?[\]]/g, "\\$&")}/`;
  return `:(top,glob)${exactly}${pattern.includes("/") ? "" : "**/"}${pattern}`;
}
