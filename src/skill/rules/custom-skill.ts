// Kept skills: those that the service keeps, a person's own and a workspace's (Part 2, "Personal
// skill rules").
import type { TextFile } from "./skill-files.ts";

export const skillOwnerTypes = ["member", "workspace"] as const;

/** Whose a kept skill is: a person's, in every workspace, or a workspace's. */
export interface SkillOwner {
  type: (typeof skillOwnerTypes)[number];
  id: string;
}

/** What the hash of a skill is taken of: its files, whatever their order. */
export function skillContent(files: readonly TextFile[]): string {
  const pairs = files.map(({ path, content }) => [path, content] as const);
  return JSON.stringify(pairs.toSorted(([one], [other]) => (one < other ? -1 : Number(one > other))));
}

/**
 * Of skills with one name, the first counts: factory, personal, workspace, project (decisions,
 * "Skills, plugins, push").
 */
export function firstOfEachName<Skill extends { name: string }>(...sources: readonly (readonly Skill[])[]): Skill[] {
  const counted = new Map<string, Skill>();
  for (const skill of sources.flat()) if (!counted.has(skill.name)) counted.set(skill.name, skill);
  return [...counted.values()];
}
