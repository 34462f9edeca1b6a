// A trigger: a rule of a project that sends a message when something happens at the code host.
import type { ReviewEvent } from "../../session/rules/pull-request/review-event.ts";
import { isMatch } from "./pattern.ts";

export const triggerEvents = ["checks_failed", "review"] as const;
export const reviewAnswers = ["notice", "resume"] as const;

export interface Trigger {
  id: string;
  name: string;
  enabled: boolean;
  on: (typeof triggerEvents)[number];
  /** All filters have to match. A filter without values matches everything. */
  when: { branches: string[]; checks: string[]; reviews: ReviewEvent["state"][] };
  do: {
    /** What the agent is asked to do; null for the default. */
    prompt: string | null;
    /** What happens to a session Under Review: only people are notified, or it works again. */
    underReview: (typeof reviewAnswers)[number];
  };
  caps: { perDay: number; attempts: number };
}

const prompts: Record<Trigger["on"], string> = {
  checks_failed:
    "The checks of your pull request failed on its newest commit. Find the cause, fix it, and commit and push the fix. If your change did not cause a failure, say so instead of working around it.",
  review:
    "Your pull request was reviewed. Do what the review asks for, and commit and push it. Answer what is only a question.",
};

/** What the agent is asked to do. */
export function getPrompt({ on, do: { prompt } }: Trigger): string {
  return prompt ?? prompts[on];
}

/** True if an enabled trigger is for these failed checks of a branch. */
export function isForChecks({ enabled, on, when }: Trigger, branch: string, failed: readonly string[]): boolean {
  if (!enabled || on !== "checks_failed") return false;
  return matchesFilter(when.branches, [branch]) && matchesFilter(when.checks, failed);
}

/** True if an enabled trigger is for this review of a branch. */
export function isForReview({ enabled, on, when }: Trigger, branch: string, state: ReviewEvent["state"]): boolean {
  if (!enabled || on !== "review" || !matchesFilter(when.branches, [branch])) return false;
  return when.reviews.length === 0 || when.reviews.includes(state);
}

const matchesFilter = (patterns: readonly string[], texts: readonly string[]) =>
  patterns.length === 0 || patterns.some((pattern) => texts.some((text) => isMatch(pattern, text)));
