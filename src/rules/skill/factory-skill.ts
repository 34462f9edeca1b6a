// The factory's skills: those that every sandbox has (decisions, "Skills, plugins"). What they tell the agent is in `sandbox/agent/skills/`.
import type { SkillListing } from "./skill.ts";

export const factorySkillNames = ["svc:open-pr", "svc:sync-branch", "svc:ship"] as const;
export type FactorySkillName = (typeof factorySkillNames)[number];

export interface FactorySkill extends SkillListing {
  name: FactorySkillName;
  /** The tools that are offered in its turns alone. */
  tools: readonly string[];
}

/** In the order in which they are listed. */
export const factorySkills: readonly FactorySkill[] = [
  {
    name: "svc:open-pr",
    description: "Commits and pushes the work, then opens the pull request, or updates the open one.",
    argumentHint: "[-d] [-r <reviewers>] [-e <links>] [context]",
    tools: ["open_pull_request"],
  },
  {
    name: "svc:sync-branch",
    description: "Brings the pull request's base, or the Target Branch, into this branch.",
    argumentHint: null,
    tools: ["sync_branch"],
  },
  {
    name: "svc:ship",
    description: "Merges the open pull request once its checks have passed.",
    argumentHint: null,
    tools: ["ship"],
  },
];

/** The factory's skill of this name; null when it has none. */
export function factorySkill(name: string): FactorySkill | null {
  return factorySkills.find((skill) => skill.name === name) ?? null;
}
