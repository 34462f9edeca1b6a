// The skill that a name calls where several sources have one (decisions, "Skills, plugins, push").
import type { SkillOwner } from "./custom-skill.ts";
import type { SkillSource } from "./skill.ts";

/** The sources of skills. Of two skills with one name, the one of the earlier source counts. */
const sourcesByPrecedence: readonly SkillSource[] = ["factory", "personal", "workspace", "project", "plugin"];

/** The source of a saved skill. */
export function getSavedSkillSource(ownerType: SkillOwner["type"]): SkillSource {
  return ownerType === "member" ? "personal" : "workspace";
}

/** The skills that count: each name once, by precedence, in the given order within a source. */
export function listSkillsByPrecedence<Skill extends { name: string; source: SkillSource }>(
  skills: readonly Skill[],
): Skill[] {
  const counted = new Map<string, Skill>();
  for (const source of sourcesByPrecedence)
    for (const skill of skills) if (skill.source === source && !counted.has(skill.name)) counted.set(skill.name, skill);
  return [...counted.values()];
}
