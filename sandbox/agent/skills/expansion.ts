// Expands a skill message for the agent: the skill's instructions, then the message as the user wrote it.
import type { SkillSource } from "../../../src/rules/chat/agent-profile.ts";
import type { SkillCall } from "../../../src/rules/skill/skill-call.ts";
import type { Folders } from "../../folders.ts";
import { factoryInstructions } from "./factory.ts";
import { projectSkills } from "./project.ts";

/** The instructions of the called skill, followed by the text. Only the text if these sources do not have the skill. */
export async function expandSkill(
  folders: Folders,
  sources: SkillSource[],
  call: SkillCall | null,
  text: string,
): Promise<string> {
  const ofFactory = call && sources.includes("factory") ? factoryInstructions(call.name) : null;
  const ofProject = call && sources.includes("project") ? () => projectInstructions(folders, call.name) : null;
  const instructions = ofFactory ?? (await ofProject?.()) ?? null;
  if (call === null || instructions === null) return text;
  return `<skill name="${call.name}">\n${instructions}\n</skill>\n\n${text}`;
}

async function projectInstructions(folders: Folders, name: string): Promise<string | null> {
  const skill = (await projectSkills(folders)).find((one) => one.name === name);
  return skill ? `References are relative to ${skill.folder}.\n\n${skill.instructions}` : null;
}
