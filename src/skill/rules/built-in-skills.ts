// The built-in skills, which every sandbox has (decisions, "Skills, plugins"). `skill-callers.ts`
// says who may call them. Their instructions are in `sandbox-program/agent/skills/`.
import type { ProductToolName } from "../../chat/rules/agent-profile.ts";
import type { SkillListing } from "./skill.ts";

export const builtInSkillNames = ["svc:open-pr", "svc:sync-branch", "svc:ship"] as const;
export type BuiltInSkillName = (typeof builtInSkillNames)[number];

export interface BuiltInSkill extends SkillListing {
  name: BuiltInSkillName;
  /** Tools that the agent has only in turns of this skill. */
  tools: readonly ProductToolName[];
}

export const openPrSkill: BuiltInSkill = {
  name: "svc:open-pr",
  description: "Commits and pushes the work, then opens the pull request, or updates the open one.",
  argumentHint: "[-d] [-r <reviewers>] [-e <links>] [context]",
  tools: ["open_pull_request"],
};

/** In the order of lists. */
export const builtInSkills: readonly BuiltInSkill[] = [
  openPrSkill,
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

/** The built-in skill with this name; null if it does not exist. */
export function findBuiltInSkill(name: string): BuiltInSkill | null {
  return builtInSkills.find((skill) => skill.name === name) ?? null;
}
