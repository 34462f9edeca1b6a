// Which triggers an event starts: failed checks, a review, a mention, a label, or a pull request.
import type { ProposedPullRequest } from "../../code-host/rules/webhook.ts";
import type { ReviewEvent } from "../../session/rules/pull-request/review-event.ts";
import { isMatch } from "./pattern.ts";
import type { Trigger } from "./trigger.ts";

/** True if an enabled trigger is for these failed checks of a branch; null if they are unknown. */
export function isForChecks({ enabled, on, when }: Trigger, branch: string, failed: readonly string[] | null): boolean {
  if (!enabled || on !== "checks_failed") return false;
  return matchesFilter(when.branches, [branch]) && (failed === null || matchesFilter(when.checks, failed));
}

/** True if an enabled trigger is for this review of a branch. */
export function isForReview({ enabled, on, when }: Trigger, branch: string, state: ReviewEvent["state"]): boolean {
  if (!enabled || on !== "review" || !matchesFilter(when.branches, [branch])) return false;
  return when.reviews.length === 0 || when.reviews.includes(state);
}

/** True if an enabled trigger is for mentions. */
export function isForMention({ enabled, on }: Trigger): boolean {
  return enabled && on === "mention";
}

/** The labels of a trigger that names none. */
const usualLabels: Record<Trigger["do"]["action"], string | null> = {
  send: null,
  start: "switchyard:go",
  file: "switchyard",
};

/** True if an enabled trigger is for this label of an issue. Case does not matter there. */
export function isForLabel({ enabled, on, when, do: { action } }: Trigger, label: string): boolean {
  if (!enabled || on !== "label") return false;
  const labels = when.labels.length === 0 ? [usualLabels[action]] : when.labels;
  return labels.some((one) => one?.toLowerCase() === label.toLowerCase());
}

/** True if an enabled trigger is for what happened to this pull request, whatever it changes. */
export function isForPullRequest(trigger: Trigger, { branch, label, labels }: ProposedPullRequest): boolean {
  const { enabled, on, when } = trigger;
  if (!matchesFilter(when.branches, [branch])) return false;
  if (label !== null) return isForLabel(trigger, label);
  return enabled && on === "pull_request" && matchesFilter(when.labels, labels);
}

/** True if a trigger is for a change of these files. */
export function isForPaths({ when }: Trigger, paths: readonly string[]): boolean {
  return matchesFilter(when.paths, paths);
}

const matchesFilter = (patterns: readonly string[], texts: readonly string[]) =>
  patterns.length === 0 || patterns.some((pattern) => texts.some((text) => isMatch(pattern, text)));
