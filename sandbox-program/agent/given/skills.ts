// The saved skills of a turn: those of the session's Assignee and of its workspace.
import { createHash } from "node:crypto";
import { skillFileBytes, skillFileCount, skillTotalBytes } from "../../../src/rules/limits.ts";
import type { GivenSkill } from "../../../src/sandbox-protocol/protocol.ts";
import { formatSkillContent } from "../../../src/skill/rules/custom-skill.ts";
import { readSkill, type SkillFile, skillFileName } from "../../../src/skill/rules/skill.ts";
import { findPathMistake, type TextFile } from "../../../src/skill/rules/skill-files.ts";
import type { Folders } from "../../folders.ts";
import { type Fetching, type GivenFile, type GivenForm, type Had, updateFolders } from "./folder.ts";

export interface GivenSkills {
  /**
   * Returns the skill of this name; null if the turn was not given it. Throws a readable error if
   * it was given but is unavailable.
   */
  find(name: string): (SkillFile & { folder: string }) | null;
}

/** Skills are sent as JSON, which may encode one character as six. */
const form: GivenForm = {
  answerBytesMax: 6 * skillTotalBytes + skillFileCount * 8_192,
  fileCount: skillFileCount,
  fileBytes: skillFileBytes,
  filesIn(answer) {
    const json: unknown = JSON.parse(new TextDecoder().decode(answer));
    if (!Array.isArray(json) || !json.every(isTextFile)) throw new Error("its files are not as expected.");
    return json.map(({ path, content }) => ({
      path,
      // A script may be executed.
      isExecutable: content.startsWith("#!"),
      bytes: new TextEncoder().encode(content),
    }));
  },
  hashGivenFiles(files) {
    // A file whose mode does not fit its text was altered.
    const texts = files.map((file) => ({ path: file.path, content: toText(file) }));
    const isAsSent = texts.every(({ content }, at) => content.startsWith("#!") === files[at]?.isExecutable);
    return isAsSent ? createHash("sha256").update(formatSkillContent(texts)).digest("base64url") : "";
  },
};

/**
 * Updates the skills folder to what the turn was given. An unavailable skill is an error only where
 * it is called.
 */
export async function updateSkills(
  { skills: place }: Pick<Folders, "skills">,
  given: readonly GivenSkill[],
  fetching: Fetching,
): Promise<GivenSkills> {
  const had = await updateFolders(place, given, form, fetching);
  return {
    find(name) {
      const one = given.find((skill) => skill.name === name);
      return one === undefined ? null : toSkill(name, had.get(one.hash));
    },
  };
}

function toSkill(name: string, had: Had | undefined): SkillFile & { folder: string } {
  const error = had === undefined ? "it was not fetched." : "error" in had ? had.error : null;
  if (error !== null || had === undefined || "error" in had)
    throw new Error(`The skill ${name} could not be had: ${error}`);
  const main = had.files.find(({ path }) => path === skillFileName);
  const reading = main === undefined ? null : readSkill(toText(main));
  if (reading === null || !("skill" in reading))
    throw new Error(`The ${skillFileName} of the skill ${name} is broken.`);
  return { ...reading.skill, folder: had.folder };
}

function isTextFile(value: unknown): value is TextFile {
  if (typeof value !== "object" || value === null || !("path" in value) || !("content" in value)) return false;
  return typeof value.path === "string" && findPathMistake(value.path) === null && typeof value.content === "string";
}

const toText = ({ bytes }: GivenFile) => new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);
