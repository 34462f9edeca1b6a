// Expands a skill message for the agent: the skill's instructions, then the message as the user
// wrote it.

import { join } from "node:path";
import type { SkillSource } from "../../../src/chat/rules/agent-profile.ts";
import { type BuiltInSkillName, builtInSkillNames } from "../../../src/skill/rules/built-in-skills.ts";
import { readBuiltInSkill } from "../../../src/skill/rules/skill.ts";
import type { SkillCall } from "../../../src/skill/rules/skill-call.ts";
import type { Folders } from "../../folders.ts";
import type { GivenPlugins } from "../given/plugins.ts";
import type { GivenSkills } from "../given/skills.ts";
import { listProjectSkills } from "./project.ts";
import openPr from "./svc-open-pr/SKILL.md";
import ship from "./svc-ship/SKILL.md";
import syncBranch from "./svc-sync-branch/SKILL.md";

/** The sources of the skills that a message can call. */
export interface SkillPlaces {
  /** The sources besides the skills that the turn was given. */
  sources: SkillSource[];
  given: TurnGivens;
}

/** The skills and plugins that a turn was given. */
export interface TurnGivens {
  skills: GivenSkills;
  plugins: GivenPlugins;
}

/** For a turn that only reads: it is given nothing. */
export const noGivens: TurnGivens = {
  skills: { find: () => null },
  plugins: { taken: [], instructions: () => null },
};

/**
 * Returns the instructions of the called skill, followed by the text. Returns only the text if no
 * such skill exists. Throws a readable error if the turn was given the skill but it is unavailable.
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
  const skill = (await listProjectSkills(folders)).find((one) => one.name === name);
  if (skill === undefined) return null;
  return `References are relative to ${skill.folder}.\n\n${withFolder(skill.instructions, join(folders.project, skill.folder))}`;
}

/** Instructions refer to the skill's own folder by a variable. */
function withFolder(instructions: string, folder: string): string {
  // biome-ignore lint/suspicious/noTemplateCurlyInString: instructions contain it literally
  return instructions.replaceAll("${CLAUDE_SKILL_DIR}", () => folder);
}

/** The built-in skills are bundled into the program and never written into a checkout. */
const texts: Record<BuiltInSkillName, string> = {
  "svc:open-pr": openPr,
  "svc:sync-branch": syncBranch,
  "svc:ship": ship,
};

/** The instructions of a built-in skill; null if no skill has this name. */
function factoryInstructions(name: string): string | null {
  const known = builtInSkillNames.find((factory) => factory === name);
  const reading = known === undefined ? null : readBuiltInSkill(texts[known]);
  return reading !== null && "skill" in reading ? reading.skill.instructions : null;
}
