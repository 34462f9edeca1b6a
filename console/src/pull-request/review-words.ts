// What checks and reviews are called.
import type { Schemas } from "@switchyard/client";

type Check = Schemas["Check"];
export type CheckOutcome = "failed" | "running" | "passed";

const passing: readonly Check["conclusion"][] = ["success", "neutral", "skipped"];

/** What a check means for a merge. */
export function getCheckOutcome({ status, conclusion }: Pick<Check, "status" | "conclusion">): CheckOutcome {
  if (status !== "completed") return "running";
  return passing.includes(conclusion) ? "passed" : "failed";
}

/** How many checks have each outcome. */
export function countChecks(checks: readonly Pick<Check, "status" | "conclusion">[]): Record<CheckOutcome, number> {
  const counts = { failed: 0, running: 0, passed: 0 };
  for (const check of checks) counts[getCheckOutcome(check)] += 1;
  return counts;
}

/** What the checks mean together for a merge; null without checks. */
export function findWorstOutcome(counts: Record<CheckOutcome, number>): CheckOutcome | null {
  return (["failed", "running", "passed"] as const).find((outcome) => counts[outcome] > 0) ?? null;
}

export const outcomeMarks: Record<CheckOutcome, [sign: string, color: string]> = {
  failed: ["✕", "text-red-ink"],
  running: ["●", "text-amber-ink"],
  passed: ["✓", "text-green-ink"],
};

/** Such as `1 failed, 2 running, 3 passed`. */
export function writeChecks(counts: Record<CheckOutcome, number>): string {
  return (["failed", "running", "passed"] as const)
    .filter((outcome) => counts[outcome] > 0)
    .map((outcome) => `${counts[outcome]} ${outcome}`)
    .join(", ");
}

export const reviewerWords: Record<Schemas["PullRequestReviewer"]["state"], [word: string, color: string]> = {
  requested: ["is asked", "text-quiet"],
  approved: ["approves", "text-green-ink"],
  changes_requested: ["asks for changes", "text-red-ink"],
  commented: ["has commented", "text-quiet"],
  dismissed: ["was dismissed", "text-quiet"],
};
