// The conflicts of a sync that a person decides (Part 1, "Skill messages"): the question and its
// options.
import type { ClarificationQuestion } from "../../chat/rules/block.ts";
import type { ChosenOption } from "../../chat/rules/message.ts";
import type { ProjectSettings } from "../../project/rules/settings.ts";

/**
 * Keep the version of the session's branch, take the version of the merged branch, or write a new
 * one.
 */
export const resolutions = ["branch", "base", "by-hand"] as const;
export type Resolution = (typeof resolutions)[number];

const titles: Record<Resolution, string> = {
  branch: "Keep this branch's version",
  base: "Take the Target Branch's version",
  "by-hand": "Another resolution",
};
const filesNamed = 10;

/** Lists the first files by name and counts the rest. */
export function formatFiles(paths: readonly string[]): string {
  const more = paths.length - filesNamed;
  return `${paths.slice(0, filesNamed).join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
}

/** The clarification question about conflicting files. */
export function createConflictQuestion(base: string, conflicts: string[]): ClarificationQuestion {
  const descriptions: Record<Resolution, string> = {
    branch: `In conflicts, this branch's version is kept. Everything else from ${base} is merged.`,
    base: `In conflicts, the version of ${base} is taken. Everything else on this branch is kept.`,
    "by-hand": "Say how, or let the agent work out a version that keeps the intent of both.",
  };
  return {
    topic: "Conflicts",
    question: `This branch and ${base} conflict in ${formatFiles(conflicts)}. Which version should be kept?`,
    options: resolutions.map((resolution) => ({
      title: titles[resolution],
      description: descriptions[resolution],
      isRecommended: resolution === "branch",
    })),
  };
}

/** The resolution among the chosen options; null if none was chosen. */
export function findResolution(chosen: readonly ChosenOption[]): Resolution | null {
  return resolutions.find((resolution) => chosen.some(({ option }) => option === titles[resolution])) ?? null;
}

/** True for a message that requests a rebase instead of a merge. */
export function isRebaseRequest(message: string): boolean {
  return /\brebas(e|ed|ing)\b/i.test(message) && !/\b(not|no|don.?t|never|without)\b[^.]{0,20}\brebas/i.test(message);
}

/**
 * The plan for merging another branch into the session's branch, and for preparing the checkout
 * afterwards.
 */
export interface BranchSyncPlan extends ProjectSettings {
  /** The branch to merge. */
  base: string;
  /** True if the merge is pushed automatically. */
  pushes: boolean;
}
