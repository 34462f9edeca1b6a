// Expands a skill message for the agent: the skill's instructions, then the message as the user
// wrote it.
import { join } from "node:path";
import type { SkillSource } from "../../../src/chat/rules/agent-profile.ts";
import type { SkillCall } from "../../../src/skill/rules/skill-call.ts";
import type { Folders } from "../../folders.ts";
import type { GivenPlugins } from "../given/plugins.ts";
import type { GivenSkills } from "../given/skills.ts";
import { factoryInstructions } from "./factory.ts";
import { projectSkills } from "./project.ts";

/** Where the skills that a message calls come from. */
export interface SkillPlaces {
  /** The sources besides the skills that the turn was given. */
  sources: SkillSource[];
  given: TurnGivens;
}

/** What a turn was given to be called. */
export interface TurnGivens {
  skills: GivenSkills;
  plugins: GivenPlugins;
}

/** A turn that only reads is given nothing. */
export const noGivens: TurnGivens = {
  skills: { find: () => null },
  plugins: { taken: [], instructions: () => null },
};

/**
 * The instructions of the called skill, followed by the text. Only the text if there is no such
 * skill. Throws a readable error if the turn was given the skill, and it could not be had.
 */
export async function expandSkill(
  folders: Folders,
  { sources, given }: SkillPlaces,
  call: SkillCall | null,
  text: string,
): Promise<string> {
  if (call === null) return text;
  const ofFactory = sources.includes("factory") ? factoryInstructions(call.name) : null;
  const ofProject = async () => (sources.includes("project") ? await projectInstructions(folders, call.name) : null);
  const instructions =
    ofFactory ?? givenInstructions(given.skills, call.name) ?? (await ofProject()) ?? given.plugins.instructions(call);
  return instructions === null ? text : `<skill name="${call.name}">\n${instructions}\n</skill>\n\n${text}`;
}

function givenInstructions(given: GivenSkills, name: string): string | null {
  const skill = given.find(name);
  if (skill === null) return null;
  return `References are relative to ${skill.folder}.\n\n${withFolder(skill.instructions, skill.folder)}`;
}

async function projectInstructions(folders: Folders, name: string): Promise<string | null> {
  const skill = (await projectSkills(folders)).find((one) => one.name === name);
  if (skill === undefined) return null;
  return `References are relative to ${skill.folder}.\n\n${withFolder(skill.instructions, join(folders.project, skill.folder))}`;
}

/** Instructions name the skill's own folder by a variable. */
function withFolder(instructions: string, folder: string): string {
  // biome-ignore lint/suspicious/noTemplateCurlyInString: instructions hold it as it stands
  return instructions.replaceAll("${CLAUDE_SKILL_DIR}", () => folder);
}
