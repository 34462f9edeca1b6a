// The git tool of an agent that only reads.
import { readingAnswerBytes } from "../../../../src/rules/limits.ts";
import type { Redaction } from "../../../../src/rules/redaction.ts";
import type { Folders } from "../../../folders.ts";
import { readingVerbs, readWithGit } from "../../../git/reading-command.ts";
import { toFields } from "../../../http/unknown-fields.ts";
import type { AgentTool } from "../../agent.ts";
import { bytesBeyondCut, toToolAnswer } from "./answer-text.ts";

/** Reads the checkout's history and state. */
export function createGitTool({ folders, redaction }: { folders: Folders; redaction: Redaction }): AgentTool {
  return {
    name: "git",
    label: "Git",
    description:
      `Read the repository with git: ${readingVerbs.join(", ")}. \`args\` are the words after \`git\`, for example ` +
      '["log", "--oneline", "-n20", "--", "src"]. An option with a value is one word: `--since=1.week`, `-n5`, `-L1,20:file`. ' +
      "Nothing that writes is permitted, and the commits are those that the sandbox has.",
    parameters: {
      type: "object",
      properties: { args: { type: "array", items: { type: "string" }, minItems: 1, description: "The words" } },
      required: ["args"],
    },
    run: async (input, signal) => {
      const { args } = toFields(input);
      if (!isWords(args)) throw new Error("Give `args`, a list of words.");
      const result = await readWithGit(folders, args, { limitBytes: readingAnswerBytes + bytesBeyondCut, signal });
      const text = [result.stdout, result.stderr].filter((part) => part !== "").join("\n");
      // grep exits with 1 if nothing matches, and diff if an exit code was requested.
      if (result.exitCode > 1)
        throw new Error(toToolAnswer(text, redaction).text || `git ended with ${result.exitCode}.`);
      return toToolAnswer(text === "" ? "(no output)" : text, redaction);
    },
  };
}

const isWords = (value: unknown): value is string[] =>
  Array.isArray(value) && value.length > 0 && value.every((word) => typeof word === "string");
